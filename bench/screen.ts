import { arch, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { median } from './report.ts';
import { type MemoryFigure, measureMemory } from './screen/memory.ts';
import { measureStarts, type StartFigures } from './screen/start.ts';

/** The cost of a chat in a terminal: until the input is ready, and after many turns. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      repeats: { type: 'string', default: '15' },
      turns: { type: 'string', default: '500' },
      'without-codex': { type: 'boolean', default: false },
    },
  });
  const turns = Number(values.turns);
  const starts = await measureStarts(Number(values.repeats), !values['without-codex']);
  process.stderr.write('starts done\n');
  const memory = turns === 0 ? [] : await measureMemory([Math.ceil(turns / 10), turns]);
  console.log(`Node ${process.version}, ${process.platform} ${arch()}, ${cpus().length} cores.\n`);
  console.log(`${startTable(starts)}${turns === 0 ? '' : `\n\n${memoryTable(memory)}`}`);
}

function startTable({ hermes, codex, bareRequest, bareCpu }: StartFigures): string {
  const show = (values: readonly number[]) =>
    values.length === 0
      ? '–'
      : `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}) ms`;
  const ratio = (ours: readonly number[], theirs: readonly number[]) =>
    theirs.length === 0 ? '–' : `${(median(ours) / median(theirs)).toFixed(2)}×`;
  const row = (label: string, field: 'firstByte' | 'inputReady' | 'cpu', bare: readonly number[], aim: string) => {
    const [ours, theirs] = [hermes, codex].map((starts) => starts.map((start) => start[field])) as [number[], number[]];
    // Codex is a native program that its start script runs, so the CPU time of the script says nothing.
    const other = field === 'cpu' ? [] : theirs;
    return `| ${label} | ${show(ours)} | ${show(other)} | ${ratio(ours, other)} | ${show(bare)} | ${aim} |`;
  };
  return [
    '| since spawn | hermes | codex | ratio | bare agent, first request | target |',
    '|---|---:|---:|---:|---:|---|',
    row('first byte on the screen', 'firstByte', bareRequest, '–'),
    row('input ready: a pressed key is shown', 'inputReady', bareRequest, '≤ 1.1× of codex'),
    row('CPU until the input line appears; total for the bare agent', 'cpu', bareCpu, '–'),
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
