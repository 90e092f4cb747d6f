import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { arch, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalEnvironment } from '../src/environments/index.ts';

/**
 * The cost of a command in an environment with persistent shell state, compared with a plain spawn of the same
 * command.
 */
const KINDS: readonly { label: string; before?: string; command(index: number): string }[] = [
  { label: 'built-in', command: (index) => `echo step-${index}` },
  { label: 'program', command: () => '/bin/true' },
  { label: 'changes the directory', command: (index) => `cd ${index % 2 ? '/' : '/tmp'}; echo here` },
  { label: 'changes a variable', command: (index) => `export STEP=${index}; echo $STEP` },
  {
    label: 'built-in, after setting a variable',
    before: 'export CHANGED=1; f() { echo f; }',
    command: (index) => `echo step-${index}`,
  },
];

function bare(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('/bin/bash', ['-c', command], (error) => (error ? reject(error) : resolve()));
  });
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { repeats: { type: 'string', default: '300' } } });
  const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-'));
  const options = { timeoutMs: 60_000, signal: new AbortController().signal, maxOutput: 1000 };
  console.log(`Node ${process.version}, ${process.platform} ${arch()}, ${cpus().length} cores\n`);
  console.log('| command | hermes | bare spawn | ratio |\n|---|---:|---:|---:|');
  for (const { label, before, command } of KINDS) {
    const environment = createLocalEnvironment({ workingDirectory: folder });
    if (before !== undefined) await environment.run(before, options);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let index = 0; index < Number(values.repeats); index++) {
      // Alternating, so that load on the machine affects both.
      ours.push(await measure(() => environment.run(command(index), options)));
      theirs.push(await measure(() => bare(command(index))));
    }
    const [mine, other] = [median(ours), median(theirs)];
    console.log(`| ${label} | ${mine.toFixed(2)} ms | ${other.toFixed(2)} ms | ${(mine / other).toFixed(2)}× |`);
    await environment.close();
  }
  rmSync(folder, { recursive: true, force: true });
}

await main();
