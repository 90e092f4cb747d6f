import type { RawLine } from '../../util/index.ts';
import { type ColumnWatch, createColumnWatch } from './check-columns.ts';
import { checkText } from './check-text.ts';
import { checkConversations } from './check-conversations.ts';
import { readLine, splitLines } from './read-line.ts';

/** One way in which a line is not what the form asks for. */
export type Deviation = { line: number; message: string };

export type CheckTotals = { lines: number; deviations: number; badLines: number };

/** Looks at every line of a file. What it finds is handed out at once; the memory holds one line at a time. */
export async function* checkLines(
  chunks: AsyncIterable<Uint8Array>,
  totals: CheckTotals = { lines: 0, deviations: 0, badLines: 0 },
): AsyncGenerator<Deviation> {
  const columns = createColumnWatch();
  for await (const raw of splitLines(chunks)) {
    const messages = checkLine(raw, columns);
    totals.lines += 1;
    totals.deviations += messages.length;
    if (messages.length > 0) totals.badLines += 1;
    for (const message of messages) yield { line: raw.number, message };
  }
}

function checkLine(raw: RawLine, columns: ColumnWatch): string[] {
  const reading = readLine(raw);
  if ('fault' in reading) return [reading.fault];
  const { entry, text, notes } = reading;
  return [...notes, ...checkText(text, entry), ...columns.check(entry), ...checkConversations(entry['conversations'])];
}
