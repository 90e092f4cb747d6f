import { errorMessage, isJsonObject, type JsonObject } from '../../base/index.ts';
import { type RawLine, readLines } from '../../util/index.ts';

/** Longer than any conversation that fits a model; a file without line ends must not fill the memory. */
const LONGEST_LINE = 256 * 1024 * 1024;

/** The lines of a file of trajectories. */
export function splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RawLine> {
  return readLines(chunks, LONGEST_LINE);
}

/** The value of a line, or the one thing that keeps it from being read. */
export function readLine(raw: RawLine): { entry: JsonObject; text: string; notes: string[] } | { fault: string } {
  if (raw.bytes === undefined) return { fault: `the line has ${raw.length} bytes, which is too long to be looked at` };
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
