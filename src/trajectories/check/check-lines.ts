import { errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { type RawLine, readLines } from '../../util/index.ts';
import { endOfString, nextNonBlank } from '../spaced-json.ts';
import { type ColumnChecker, createColumnChecker, isFailure } from './check-columns.ts';
import { checkConversations } from './check-conversations.ts';

/** A format violation in a line. */
type FormatViolation = { line: number; message: string };

export type CheckTotals = {
  lines: number;
  deviations: number;
  badLines: number;
  /** Lines that record failed prompts of a batch, as in its `failed.jsonl`; they are not trajectories. */
  failures: number;
};

/** Checks every line of a file and yields violations immediately; only one line is in memory at a time. */
export async function* checkLines(
  chunks: AsyncIterable<Uint8Array>,
  totals: CheckTotals = { lines: 0, deviations: 0, badLines: 0, failures: 0 },
): AsyncGenerator<FormatViolation> {
  const columns = createColumnChecker();
  for await (const raw of splitLines(chunks)) {
    const { messages, failed } = checkLine(raw, columns);
    totals.lines += 1;
    if (failed) totals.failures += 1;
    totals.deviations += messages.length;
    if (messages.length > 0) totals.badLines += 1;
    for (const message of messages) yield { line: raw.number, message };
  }
}

function checkLine(raw: RawLine, columns: ColumnChecker): { messages: string[]; failed: boolean } {
  const reading = readLine(raw);
  if ('fault' in reading) return { messages: [reading.fault], failed: false };
  const { entry, text, notes } = reading;
  const found = [...notes, ...checkText(text, entry), ...columns.check(entry)];
  return { messages: [...found, ...checkConversations(entry['conversations'])], failed: isFailure(entry) };
}

const HALF_CHARACTER = /\\u[dD][89a-fA-F]/;

/** Violations that can be found only, or more easily, in the raw text of the line. */
function checkText(text: string, entry: JsonObject): string[] {
  const repeated = findRepeatedField(text);
  return [
    ...(text.endsWith('\r') ? ['the line ends with a carriage return'] : []),
    ...(repeated === undefined ? [] : [`the field ${JSON.stringify(repeated)} occurs twice in one object`]),
    // Checked only if the text contains a surrogate escape, because parsing every string of every line is slow.
    ...(HALF_CHARACTER.test(text) ? findHalfCharacters(entry) : []),
  ];
}

/**
 * Finds a field that occurs twice in one object. Parsers differ in which one they use, and some reject the line.
 * Works token by token, like the writer.
 */
function findRepeatedField(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const marker = json[at];
    if (marker === '{') open.push(new Set());
    else if (marker === '[') open.push(undefined);
    else if (marker === '}' || marker === ']') open.pop();
    if (marker !== '"') continue;
    const end = endOfString(json, at);
    const fields = open.at(-1);
    if (fields !== undefined && nextNonBlank(json, end) === ':') {
      const name = JSON.parse(json.slice(at, end)) as string;
      if (fields.has(name)) return name;
      fields.add(name);
    }
    at = end - 1;
  }
  return undefined;
}

/** The turns in `conversations` are checked separately. */
function findHalfCharacters(entry: JsonObject): string[] {
  return Object.entries(entry).flatMap(([field, value]) =>
    field === 'conversations' || isWellFormed(value) ? [] : [`${field} contains a lone surrogate`],
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

/**
 * Maximum line length, so that a file without line ends does not fill the memory. No conversation that fits a model
 * is this long.
 */
const MAX_LINE_LENGTH = 256 * 1024 * 1024;

/** Splits a trajectory file into lines. */
export function splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RawLine> {
  return readLines(chunks, MAX_LINE_LENGTH);
}

/** The value of a line, or why it cannot be read. */
export function readLine(raw: RawLine): { entry: JsonObject; text: string; notes: string[] } | { fault: string } {
  if (raw.bytes === undefined) return { fault: `the line has ${raw.length} bytes, which is too long to be checked` };
  const notes = raw.hasEnd ? [] : ['the last line has no line end: the program that wrote it may have been killed'];
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
    return isJsonObject(entry) ? { entry, text, notes } : { fault: 'the line is not a JSON object' };
  } catch (thrown) {
    return { fault: `the line is not JSON: ${shortReason(thrown)}` };
  }
}

/** Node quotes the text in the message, which may be a whole conversation. */
function shortReason(thrown: unknown): string {
  const message = errorMessage(thrown);
  const [reason = ''] = message.split(/, "|\.\.\. "/);
  const position = /at position \d+/.exec(message)?.[0] ?? '';
  return reason.includes('position') || position === '' ? reason : `${reason} ${position}`;
}
