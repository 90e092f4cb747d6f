import { parseArgs } from 'node:util';
import { measureSessionHeap } from './sessions/measure-heap.ts';

/** The memory that closed sessions leave behind in a process. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { sessions: { type: 'string', default: '5000' } } });
  const { marks, heap, perSession } = await measureSessionHeap(Number(values.sessions));
  const rows = marks.map((marker, index) => `| ${marker} | ${((heap[index] ?? 0) / 1e6).toFixed(3)} MB |`);
  console.log(['| sessions | heap after a garbage collection |', '|---:|---:|', ...rows, ''].join('\n'));
  console.log(`From ${marks[1]} to ${marks.at(-1)}: ${perSession.toFixed(0)} bytes per session`);
}

await main();
