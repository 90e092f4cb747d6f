import { errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { type RawLine, readLines } from '../../util/index.ts';
import { endOfString, nextMark } from '../spaced-json.ts';
import { type ColumnWatch, createColumnWatch, isFailure } from './check-columns.ts';
import { checkConversations } from './check-conversations.ts';

/** One way in which a line is not what the form asks for. */
type Deviation = { line: number; message: string };

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

const HALF_CHARACTER = /\\u[dD][89a-fA-F]/;

/** What is wrong with a line and cannot be seen in its value any more, or is easier seen in its text. */
function checkText(text: string, entry: JsonObject): string[] {
  const repeated = findRepeatedField(text);
  return [
    ...(text.endsWith('\r') ? ['the line ends with a carriage return'] : []),
    ...(repeated === undefined ? [] : [`the field ${JSON.stringify(repeated)} comes twice in one object`]),
    // Reading every string of every line takes long, and hardly any line has such a mark.
    ...(HALF_CHARACTER.test(text) ? findHalfCharacters(entry) : []),
  ];
}

/** Which of the two counts is up to the reader; some give up. It goes from mark to mark, like what writes the lines. */
function findRepeatedField(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const mark = json[at];
    if (mark === '{') open.push(new Set());
    else if (mark === '[') open.push(undefined);
    else if (mark === '}' || mark === ']') open.pop();
    if (mark !== '"') continue;
    const end = endOfString(json, at);
    const fields = open.at(-1);
    if (fields !== undefined && nextMark(json, end) === ':') {
      const name = JSON.parse(json.slice(at, end)) as string;
      if (fields.has(name)) return name;
      fields.add(name);
    }
    at = end - 1;
  }
  return undefined;
}

/** Turns are looked at one by one. */
function findHalfCharacters(entry: JsonObject): string[] {
  return Object.entries(entry).flatMap(([field, value]) =>
    field === 'conversations' || isWellFormed(value) ? [] : [`${field} has half a character in it`],
  );
}

function isWellFormed(value: JsonValue): boolean {
  const left: JsonValue[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string' && !next.isWellFormed()) return false;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, inner] of Object.entries(next)) left.push(name, inner);
  }
  return true;
}

/** Longer than any conversation that fits a model; a file without line ends must not fill the memory. */
const MAX_LINE_LENGTH = 256 * 1024 * 1024;

/** The lines of a file of trajectories. */
export function splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RawLine> {
  return readLines(chunks, MAX_LINE_LENGTH);
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
