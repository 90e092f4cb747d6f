import { errorMessage, isJsonObject, type JsonObject } from '../../base/index.ts';
import { type ColumnWatch, createColumnWatch } from './check-columns.ts';
import { checkText } from './check-text.ts';
import { checkConversations } from './check-conversations.ts';
import { type RawLine, readLines } from './read-lines.ts';

/** One way in which a line is not what the form asks for. */
export type Deviation = { line: number; message: string };

export type CheckTotals = { lines: number; deviations: number; badLines: number };

/** Looks at every line of a file. What it finds is handed out at once; the memory holds one line at a time. */
export async function* checkLines(
  chunks: AsyncIterable<Uint8Array>,
  totals: CheckTotals = { lines: 0, deviations: 0, badLines: 0 },
): AsyncGenerator<Deviation> {
  const columns = createColumnWatch();
  for await (const raw of readLines(chunks)) {
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

/** The value of a line, or the one thing that keeps it from being read. */
export function readLine(raw: RawLine): { entry: JsonObject; text: string; notes: string[] } | { fault: string } {
  if ('tooLong' in raw) return { fault: `the line has ${raw.tooLong} bytes, which is too long to be looked at` };
  const notes = raw.hasEnd ? [] : ['the last line has no end: the program that wrote it may have been killed'];
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw.bytes);
  } catch {
    return { fault: 'the line is not UTF-8' };
  }
  if (text.startsWith('\uFEFF')) {
    notes.push('the line begins with a byte order mark');
    text = text.slice(1);
  }
  if (text.trim() === '') return { fault: 'the line is empty' };
  try {
    const entry: unknown = JSON.parse(text);
    return isJsonObject(entry) ? { entry, text, notes } : { fault: 'the line is no JSON object' };
  } catch (thrown) {
    return { fault: `the line is not JSON: ${shortReason(thrown)}` };
  }
}

/** Node quotes the text, which can be a whole conversation. */
function shortReason(thrown: unknown): string {
  const message = errorMessage(thrown);
  const [reason = ''] = message.split(/, "|\.\.\. "/);
  const position = /at position \d+/.exec(message)?.[0] ?? '';
  return reason.includes('position') || position === '' ? reason : `${reason} ${position}`;
}
