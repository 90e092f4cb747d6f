import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { arch, cpus, homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Environment } from '../src/contracts/index.ts';
import { createLocalEnvironment } from '../src/environments/index.ts';
import { createSandboxEnvironment } from '../src/environments/local/sandbox.ts';
import { hiddenPaths } from '../src/runtime/hidden-paths.ts';

/**
 * The time of one command in the sandbox, compared with the same command on the machine. A pause between two commands
 * stands for the model, which takes longer to write the next one.
 */
const KINDS: readonly { label: string; pauseMs: number; command(index: number): string }[] = [
  { label: '`echo`', pauseMs: 30, command: (index) => `echo step-${index}` },
  { label: '`ls`', pauseMs: 30, command: () => 'ls' },
  { label: 'changes a variable', pauseMs: 30, command: (index) => `export STEP=${index}; echo $STEP` },
  { label: '`git status`', pauseMs: 30, command: () => 'git status --short' },
  { label: '`grep -r` over 200 files', pauseMs: 30, command: () => 'grep -rc line src | wc -l' },
  { label: '`node -e 0`', pauseMs: 30, command: () => 'node -e 0' },
  { label: '`echo`, without a pause', pauseMs: 0, command: (index) => `echo step-${index}` },
  { label: '`git status`, without a pause', pauseMs: 0, command: () => 'git status --short' },
];

const options = { timeoutMs: 60_000, signal: new AbortController().signal, maxOutput: 1000 };

/** What the terminal tool does with a command: it checks the directory and runs it. */
async function runOnce(environment: Environment, command: string): Promise<number> {
  const start = performance.now();
  await environment.stat(await environment.resolvePath('.'));
  const { exitCode } = await environment.run(command, options);
  if (exitCode !== 0) throw new Error(`${command} failed in ${environment.name}`);
  return performance.now() - start;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const quantile = (values: number[], part: number) =>
  values.sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

async function makeProject(): Promise<string> {
  // Not in the temporary directory, because the sandbox has its own.
  const folder = mkdtempSync('/var/tmp/hermes-bench-');
  mkdirSync(join(folder, 'src'));
  for (let index = 0; index < 200; index += 1) writeFileSync(join(folder, `src/${index}.txt`), 'line\n'.repeat(100));
  const local = createLocalEnvironment({ workingDirectory: folder });
  await local.run('git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm one', options);
  await local.close();
  return folder;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { repeats: { type: 'string', default: '60' } } });
  const workingDirectory = await makeProject();
  const hidden = hiddenPaths(join(homedir(), '.hermes'));
  const local = createLocalEnvironment({ workingDirectory });
  const sandbox = await createSandboxEnvironment({ workingDirectory, network: false, hidden });
  console.log(`Node ${process.version}, ${process.platform} ${arch()}, ${cpus().length} cores\n`);
  console.log('| command | local | sandbox | ratio |\n|---|---:|---:|---:|');
  for (const { label, pauseMs, command } of KINDS) {
    const [outside, inside]: [number[], number[]] = [[], []];
    for (let index = 0; index < Number(values.repeats); index += 1) {
      // Alternating, so that load on the machine affects both.
      for (const [environment, times] of [
        [local, outside],
        [sandbox, inside],
      ] as const) {
        times.push(await runOnce(environment, command(index)));
        if (pauseMs > 0) await pause(pauseMs);
      }
    }
    const [a, b] = [quantile(outside, 0.5), quantile(inside, 0.5)];
    console.log(`| ${label} | ${a.toFixed(1)} ms | ${b.toFixed(1)} ms | ${(b / a).toFixed(2)}× |`);
  }
  await Promise.all([local.close(), sandbox.close()]);
  rmSync(workingDirectory, { recursive: true, force: true });
}

await main();
