import { arch, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { median } from './report.ts';
import { type MemoryFigure, measureMemory } from './screen/memory.ts';
import { measureStarts, type StartFigures } from './screen/start.ts';

/** The cost of a chat in a terminal: until the input is ready, and after many turns. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { repeats: { type: 'string', default: '9' }, turns: { type: 'string', default: '500' } },
  });
  const turns = Number(values.turns);
  const starts = await measureStarts(Number(values.repeats));
  process.stderr.write('starts done\n');
  const memory = await measureMemory([Math.ceil(turns / 10), turns]);
  console.log(`Node ${process.version}, ${process.platform} ${arch()}, ${cpus().length} cores.\n`);
  console.log(`${startTable(starts)}\n\n${memoryTable(memory)}`);
}

function startTable({ firstByte, inputReady, cpu, bareRequest, bareCpu }: StartFigures): string {
  const show = (values: readonly number[]) =>
    `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}) ms`;
  const row = (label: string, ours: readonly number[], bare: readonly number[], aim: string) =>
    `| ${label} | ${show(ours)} | ${show(bare)} | ${(median(ours) / median(bare)).toFixed(2)}× | ${aim} |`;
  return [
    '| since spawn | hermes | bare agent, first request | ratio | target |',
    '|---|---:|---:|---:|---|',
    row('first byte on the screen', firstByte, bareRequest, '–'),
    row('input ready: a pressed key is shown', inputReady, bareRequest, '≤ 200 ms'),
    row('CPU until the input line appears; total for the bare agent', cpu, bareCpu, '–'),
  ].join('\n');
}

function memoryTable([early, late]: readonly MemoryFigure[]): string {
  if (early === undefined || late === undefined) throw new Error('two measurements are required');
  const row = (label: string, field: 'heapMb' | 'residentMb' | 'turnMs', unit: string, aim: string) => {
    const [first, last] = [early[field], late[field]];
    return `| ${label} | ${first.toFixed(1)} ${unit} | ${last.toFixed(1)} ${unit} | ${(last / first).toFixed(2)}× | ${aim} |`;
  };
  return [
    `| in one chat | after ${early.turns} turns | after ${late.turns} turns | ratio | target |`,
    '|---|---:|---:|---:|---|',
    row('heap after a garbage collection', 'heapMb', 'MB', '≤ 1.5×'),
    row('resident memory', 'residentMb', 'MB', '≤ 1.3×'),
    row('time per turn, mean since the previous measurement', 'turnMs', 'ms', '≤ 1.5×'),
  ].join('\n');
}

await main();
