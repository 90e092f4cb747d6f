import type { RawLine } from '../../util/index.ts';
import { type ColumnWatch, createColumnWatch, isFailure } from './check-columns.ts';
import { checkText } from './check-text.ts';
import { checkConversations } from './check-conversations.ts';
import { readLine, splitLines } from './read-line.ts';

/** One way in which a line is not what the form asks for. */
export type Deviation = { line: number; message: string };

export type CheckTotals = {
  lines: number;
  deviations: number;
  badLines: number;
  /** Lines that tell of prompts of a batch that failed, as its `failed.jsonl` has them; they are no trajectories. */
  failures: number;
};

/** Looks at every line of a file. What it finds is handed out at once; the memory holds one line at a time. */
export async function* checkLines(
  chunks: AsyncIterable<Uint8Array>,
  totals: CheckTotals = { lines: 0, deviations: 0, badLines: 0, failures: 0 },
): AsyncGenerator<Deviation> {
  const columns = createColumnWatch();
  for await (const raw of splitLines(chunks)) {
    const { messages, failed } = checkLine(raw, columns);
    totals.lines += 1;
    if (failed) totals.failures += 1;
    totals.deviations += messages.length;
    if (messages.length > 0) totals.badLines += 1;
    for (const message of messages) yield { line: raw.number, message };
  }
}

function checkLine(raw: RawLine, columns: ColumnWatch): { messages: string[]; failed: boolean } {
  const reading = readLine(raw);
  if ('fault' in reading) return { messages: [reading.fault], failed: false };
  const { entry, text, notes } = reading;
  const found = [...notes, ...checkText(text, entry), ...columns.check(entry)];
  return { messages: [...found, ...checkConversations(entry['conversations'])], failed: isFailure(entry) };
}
