import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { arch, cpus, homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Environment } from '../src/contracts/index.ts';
import { createLocalEnvironment } from '../src/environments/index.ts';
import { createSandboxEnvironment } from '../src/environments/local/sandbox.ts';
import { hiddenPaths } from '../src/runtime/hidden-paths.ts';
import { hermes } from './contenders.ts';
import type { Contender } from './measure.ts';
import { measureRound, perStep, type Round } from './rounds.ts';
import { startScriptedServer } from './scripted-server.ts';

/**
 * The time of one command in the sandbox, compared with the same command on the machine. A pause between two commands
 * represents the model, which takes longer to write the next one.
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

function printRow(label: string, local: number, sandbox: number): void {
  console.log(`| ${label} | ${local.toFixed(1)} ms | ${sandbox.toFixed(1)} ms | ${(sandbox / local).toFixed(2)}× |`);
}

/** Whole tool turns of the built program, with a model that answers immediately: the slope between 20 and 100 steps. */
async function measureTurns(rounds: number): Promise<[local: number, sandbox: number]> {
  const folder = mkdtempSync('/var/tmp/hermes-bench-');
  const server = await startScriptedServer();
  const contender = (option: string): Contender => {
    const home = join(folder, option.slice(2), 'home');
    const { environment, ...rest } = hermes(server.baseUrl, home, [option]);
    return { ...rest, environment: { ...environment, HOME: join(folder, option.slice(2)) } };
  };
  const contenders = [contender('--no-sandbox'), contender('--sandbox')];
  const workingDirectory = join(folder, 'project');
  mkdirSync(workingDirectory);
  const measured: [Round[], Round[]] = [[], []];
  for (let index = 0; index <= rounds; index += 1) {
    const [outside, inside] = await measureRound(contenders, { server, folder: workingDirectory });
    // The first round warms up caches and is not counted.
    if (index === 0 || outside === undefined || inside === undefined) continue;
    measured[0].push(outside);
    measured[1].push(inside);
  }
  await server.close();
  rmSync(folder, { recursive: true, force: true });
  return [quantile(perStep(measured[0], 'wallMs'), 0.5), quantile(perStep(measured[1], 'wallMs'), 0.5)];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { repeats: { type: 'string', default: '60' }, rounds: { type: 'string', default: '5' } },
  });
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
    printRow(label, a, b);
  }
  printRow('tool turn with `echo`, model without latency', ...(await measureTurns(Number(values.rounds))));
  await Promise.all([local.close(), sandbox.close()]);
  rmSync(workingDirectory, { recursive: true, force: true });
}

await main();
