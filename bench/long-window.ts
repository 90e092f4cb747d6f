import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

type Turn = {
  turn: number;
  ms: number;
  cpuMs: number;
  rssMb: number;
  heapMb: number;
  compressions: number;
  exitReason: string;
};

const start = (file: string, args: readonly string[] = []) =>
  spawn(process.execPath, ['--expose-gc', join(import.meta.dirname, 'long-window', file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const linesOf = (child: ReturnType<typeof start>) => createInterface({ input: child.stdout });

/** A session much longer than its window: the cost of a turn at the start and at the end. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { turns: { type: 'string', default: '1000' }, window: { type: 'string', default: '32000' } },
  });
  const home = mkdtempSync(join(tmpdir(), 'hermes-long-window-'));
  const server = start('model-server.ts');
  try {
    const { value: baseUrl } = await linesOf(server)[Symbol.asyncIterator]().next();
    const session = start('session.ts', [home, String(baseUrl), values.turns, values.window]);
    const turns: Turn[] = [];
    for await (const line of linesOf(session)) turns.push(JSON.parse(line) as Turn);
    const failed = turns.filter(({ exitReason }) => exitReason !== 'completed');
    if (turns.length !== Number(values.turns) || failed.length > 0) {
      throw new Error(`${turns.length} turns ended, ${failed.length} of them failed`);
    }
    console.log(formatTable(turns, values.window));
  } finally {
    server.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

function formatTable(turns: readonly Turn[], window: string): string {
  const size = Math.max(Math.floor(turns.length / 10), 1);
  const parts = [turns.slice(0, size), turns.slice(-size)] as const;
  const rows: [string, string, (part: readonly Turn[]) => number][] = [
    ['time per turn, median', 'ms', (part) => quantile(part, 'ms', 0.5)],
    ['time per turn, 95th percentile', 'ms', (part) => quantile(part, 'ms', 0.95)],
    ['CPU per turn, mean', 'ms', (part) => part.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / part.length],
    ['compressions', '', (part) => part.reduce((sum, { compressions }) => sum + compressions, 0)],
    ['heap after a garbage collection, at the end', 'MB', (part) => part.at(-1)?.heapMb ?? 0],
    ['resident memory, at the end', 'MB', (part) => part.at(-1)?.rssMb ?? 0],
  ];
  const all = turns.reduce((sum, { compressions }) => sum + compressions, 0);
  const head = `| ${turns.length} turns, window ${window}, ${all} compressions | first ${size} | last ${size} |\n|---|---:|---:|`;
  const lines = rows.map(([name, unit, of]) => {
    const [first, last] = parts.map((part) => `${of(part).toFixed(unit === '' ? 0 : 1)} ${unit}`.trim());
    return `| ${name} | ${first} | ${last} |`;
  });
  return [head, ...lines].join('\n');
}

function quantile(turns: readonly Turn[], field: 'ms', share: number): number {
  const sorted = turns.map((turn) => turn[field]).sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}

await main();
