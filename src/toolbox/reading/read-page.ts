import type { Environment } from '../../contracts/index.ts';
import { ToolFailure, ToolInterrupted } from '../../tools/index.ts';
import { takeStart } from '../../util/index.ts';
import type { FoundFile } from '../text-file.ts';
import { announcedEncoding, decodeUtf8 } from '../text/encoding.ts';
import { linesOf } from '../text/text-lines.ts';

/** How much is read at a time. */
const PART = 1024 * 1024;
/** Larger files are not read to their end only to count their lines. */
const COUNTED_SIZE = 64 * 1024 * 1024;
const MAX_UTF16_SIZE = 64 * 1024 * 1024;

/** Reads the wanted lines part by part, so that the size of a file does not matter. */
export async function readPage(
  path: string,
  { size }: FoundFile,
  environment: Environment,
  wanted: PageRequest,
  signal: AbortSignal,
): Promise<Page> {
  const collector = createLineCollector(wanted);
  for (let offset = 0; ; ) {
    if (signal.aborted) throw new ToolInterrupted('Interrupted while reading.');
    const part = await environment.readFile(path, { offset, length: PART });
    const encoding = offset === 0 ? announcedEncoding(part) : undefined;
    if (encoding !== undefined) return readUtf16(path, size, environment, wanted, encoding);
    collector.push(part);
    offset += part.length;
    if (part.length < PART) return collector.finish();
    if (collector.isFull() && size > COUNTED_SIZE) return { ...collector.finish(), total: undefined };
  }
}

async function readUtf16(
  path: string,
  size: number,
  environment: Environment,
  wanted: PageRequest,
  encoding: 'utf-16le' | 'utf-16be',
): Promise<Page> {
  if (size > MAX_UTF16_SIZE)
    throw new ToolFailure(
      `${path} is UTF-16 text of ${size} bytes; turn it into UTF-8 first (iconv, in the terminal).`,
    );
  return pageOfText(new TextDecoder(encoding).decode(await environment.readFile(path)), wanted);
}

/** The wanted lines of a text that is in memory. */
export function pageOfText(text: string, { first, count }: PageRequest): Page {
  const lines = linesOf(text);
  const wanted = lines.slice(first - 1, first - 1 + count);
  return { lines: wanted.map((line) => ({ text: line.text, open: false })), total: lines.length, valid: true };
}

const NEWLINE = 10;
const RETURN = 13;
/** How much of one line is kept: some files are one line of gigabytes. */
const MAX_KEPT = 16 * 1024 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';

/** Takes the bytes of a file in order and keeps the lines that are wanted. */
interface LineCollector {
  push(bytes: Uint8Array): void;
  /** Whether all that was wanted is there; what follows is only counted. */
  isFull(): boolean;
  finish(): Page;
}

function createLineCollector({ first, count, budget }: PageRequest): LineCollector {
  const lines: PageLine[] = [];
  let room = budget;
  let valid = true;
  /** Of the line that is not finished yet. */
  let pieces: Uint8Array[] = [];
  let kept = 0;
  let length = 0;
  let number = 1;

  const isFull = () => lines.length >= count || room < 0;
  const isWanted = () => number >= first && !isFull();

  function keep(bytes: Uint8Array, start: number, end: number): void {
    length += end - start;
    if (!isWanted() || kept >= MAX_KEPT) return;
    const part = bytes.subarray(start, Math.min(end, start + MAX_KEPT - kept));
    pieces.push(part);
    kept += part.length;
  }

  function endLine(): void {
    if (isWanted()) {
      const line = decodeLine(Buffer.concat(pieces), length > kept, number === 1);
      valid &&= line.valid;
      lines.push(line);
      room -= Math.min(line.text.length, budget);
    }
    pieces = [];
    kept = 0;
    length = 0;
    number += 1;
  }

  return {
    push(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        keep(bytes, start, end);
        endLine();
        start = end + 1;
      }
      keep(bytes, start, bytes.length);
    },
    isFull,
    finish() {
      // The newline at the end of a file does not begin another line.
      if (length > 0) endLine();
      return { lines, total: number - 1, valid };
    },
  };
}

function decodeLine(bytes: Uint8Array, open: boolean, isFirst: boolean): PageLine & { valid: boolean } {
  const { text, valid } = decodeUtf8(bytes.at(-1) === RETURN && !open ? bytes.subarray(0, -1) : bytes);
  const plain = isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  // The cut may have gone through a character, which says nothing about the file.
  return { text: plain, open, valid: valid || open };
}

/** Which part of a file is wanted. */
export type PageRequest = {
  /** The number of the first line, from 1. */
  first: number;
  count: number;
  /** The first character of each line, from 1. */
  column: number;
  /** How much of a line is shown. */
  width: number;
  /** How much the whole page may have, in characters. */
  budget: number;
};

/** A line as far as it was kept. */
type PageLine = {
  text: string;
  /** The line goes on behind what was kept. */
  open: boolean;
};

type Page = {
  lines: PageLine[];
  /** How many lines there are; undefined where counting them would take too long. */
  total: number | undefined;
  /** Whether all of it was text. */
  valid: boolean;
};

/** The page as the model reads it: as many lines as fit, then where to go on. */
export function presentPage(page: Page, wanted: PageRequest, path: string, note?: string): string {
  const { total } = page;
  const { first } = wanted;
  const notes = note === undefined ? [] : [`[${note}]`];
  if (total === 0) return [...notes, '(empty)'].join('\n');
  if (page.lines.length === 0) throw new ToolFailure(`${path} has ${total} lines; offset ${first} is behind its end.`);
  const shown = fittingLines(page.lines, wanted);
  const last = first + shown.length - 1;
  if (!page.valid) shown.push('[not valid UTF-8: bytes that are no text are shown as \uFFFD]');
  const range = `lines ${first}–${last}`;
  if (total === undefined) shown.push(`[${range} of a long file; go on with offset ${last + 1}]`);
  else if (last < total) shown.push(`[${range} of ${total}; go on with offset ${last + 1}]`);
  return [...notes, ...shown].join('\n');
}

function fittingLines(lines: readonly PageLine[], wanted: PageRequest): string[] {
  const shown: string[] = [];
  let room = wanted.budget;
  for (const [index, line] of lines.entries()) {
    const number = wanted.first + index;
    const numbered = `${number}|${cutLine(line, number, wanted)}`;
    room -= numbered.length + 1;
    // The first line always fits, or paging could not go on.
    if (room < 0 && shown.length > 0) break;
    shown.push(numbered);
  }
  return shown;
}

/** The notice says how to get at the rest of a long line. */
function cutLine({ text, open }: PageLine, number: number, { column, width }: PageRequest): string {
  const shown = takeStart(text.slice(column - 1), width);
  const next = column + shown.length;
  if (next > text.length && !open) return shown;
  const length = open ? `more than ${text.length}` : `${text.length}`;
  return `${shown}… [line cut: ${length} characters; go on with offset ${number}, limit 1, column ${next}]`;
}
