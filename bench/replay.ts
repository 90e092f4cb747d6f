import { parseArgs } from 'node:util';
import { measureReplay } from './replay/measure-replay.ts';

/** The time and the memory that a replay of a long session needs. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { messages: { type: 'string', default: '50000' } } });
  const { cpuMs, peakMb, lastLine } = await measureReplay(Number(values.messages));
  console.log(lastLine);
  console.log(`${values.messages} messages: peak memory ${peakMb.toFixed(0)} MB, CPU ${(cpuMs / 1000).toFixed(1)} s`);
}

await main();
