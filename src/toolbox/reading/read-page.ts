import type { Environment } from '../../contracts/index.ts';
import { ToolFailure, ToolInterrupted } from '../../tools/index.ts';
import { takeStart } from '../../util/index.ts';
import type { FoundFile } from '../text-file.ts';
import { announcedEncoding, decodeUtf8 } from '../text/encoding.ts';
import { linesOf } from '../text/text-lines.ts';

/** Chunk size. */
const CHUNK_SIZE = 1024 * 1024;
/** Lines of larger files are not counted to the end. */
const COUNTED_SIZE = 64 * 1024 * 1024;
const MAX_UTF16_SIZE = 64 * 1024 * 1024;

/** Reads the requested lines in chunks, so that files of any size can be read. */
export async function readPage(
  path: string,
  { size }: FoundFile,
  environment: Environment,
  wanted: PageRequest,
  signal: AbortSignal,
): Promise<Page> {
  const collector = createLineCollector(wanted);
  for (let offset = 0; ; ) {
    if (signal.aborted) throw new ToolInterrupted('The read was interrupted.');
    const part = await environment.readFile(path, { offset, length: CHUNK_SIZE });
    const encoding = offset === 0 ? announcedEncoding(part) : undefined;
    if (encoding !== undefined) return readUtf16(path, size, environment, wanted, encoding);
    collector.push(part);
    offset += part.length;
    if (part.length < CHUNK_SIZE) return collector.finish();
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
      `${path} is UTF-16 text of ${size} bytes; convert it to UTF-8 first (with iconv in the terminal).`,
    );
  return pageOfText(new TextDecoder(encoding).decode(await environment.readFile(path)), wanted);
}

/** The requested lines of a text in memory. */
export function pageOfText(text: string, { first, count }: PageRequest): Page {
  const lines = linesOf(text);
  const wanted = lines.slice(first - 1, first - 1 + count);
  return { lines: wanted.map((line) => ({ text: line.text, open: false })), total: lines.length, valid: true };
}

const NEWLINE = 10;
const RETURN = 13;
/** How much of one line is kept: some files are a single line of gigabytes. */
const MAX_KEPT = 16 * 1024 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';

/** Collects the requested lines from the bytes of a file. */
interface LineCollector {
  push(bytes: Uint8Array): void;
  /** Whether all requested lines are there; later lines are only counted. */
  isFull(): boolean;
  finish(): Page;
}

function createLineCollector({ first, count, budget }: PageRequest): LineCollector {
  const lines: PageLine[] = [];
  let room = budget;
  let valid = true;
  /** State of the line that is not complete yet. */
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
  // A truncated line may end inside a character, so it does not count as invalid.
  return { text: plain, open, valid: valid || open };
}

/** The requested part of a file. */
export type PageRequest = {
  /** Number of the first line, from 1. */
  first: number;
  count: number;
  /** First character of each line, from 1. */
  column: number;
  /** Maximum characters per line. */
  width: number;
  /** Maximum characters of the whole page. */
  budget: number;
};

/** A line, possibly truncated. */
type PageLine = {
  text: string;
  /** The line continues after `text`. */
  open: boolean;
};

export type Page = {
  lines: PageLine[];
  /** Number of lines in the file; undefined if it was too large to count. */
  total: number | undefined;
  /** Whether all of it was valid UTF-8. */
  valid: boolean;
};

/** A page as the model reads it. */
export type PresentedPage = {
  text: string;
  /** The number of lines if the text is a whole file, with all of every line. */
  wholeLines: number | undefined;
};

export function rejectPastEnd({ lines, total }: Page, { first }: PageRequest, path: string): void {
  if (lines.length === 0 && total !== 0)
    throw new ToolFailure(`${path} has ${total} lines; offset ${first} is past the end.`);
}

/** Formats a page for the model: as many lines as fit, then the next offset. */
export function presentPage(page: Page, wanted: PageRequest, note?: string): PresentedPage {
  const { total } = page;
  const { first } = wanted;
  const notes = note === undefined ? [] : [`[${note}]`];
  if (total === 0) return { text: [...notes, '(empty)'].join('\n'), wholeLines: undefined };
  const shown = fittingLines(page.lines, wanted);
  const last = first + shown.length - 1;
  const isPlain = note === undefined && page.valid && page.lines.every((line) => isComplete(line, wanted));
  const wholeLines = isPlain && shown.length === total ? total : undefined;
  if (!page.valid) shown.push('[not valid UTF-8: invalid bytes are shown as \uFFFD]');
  const range = `lines ${first}–${last}`;
  if (total === undefined) shown.push(`[${range} of a long file; continue with offset ${last + 1}]`);
  else if (last < total) shown.push(`[${range} of ${total}; continue with offset ${last + 1}]`);
  return { text: [...notes, ...shown].join('\n'), wholeLines };
}

function isComplete({ text, open }: PageLine, { column, width }: PageRequest): boolean {
  return !open && column === 1 && text.length <= width;
}

function fittingLines(lines: readonly PageLine[], wanted: PageRequest): string[] {
  const shown: string[] = [];
  let room = wanted.budget;
  for (const [index, line] of lines.entries()) {
    const number = wanted.first + index;
    const numbered = `${number}|${cutLine(line, number, wanted)}`;
    room -= numbered.length + 1;
    // The first line is always shown, otherwise paging could not continue.
    if (room < 0 && shown.length > 0) break;
    shown.push(numbered);
  }
  return shown;
}

/** Truncates a long line and says how to read the rest. */
function cutLine({ text, open }: PageLine, number: number, { column, width }: PageRequest): string {
  const shown = takeStart(text.slice(column - 1), width);
  const next = column + shown.length;
  if (next > text.length && !open) return shown;
  const length = open ? `more than ${text.length}` : `${text.length}`;
  return `${shown}… [line truncated: ${length} characters; continue with offset ${number}, limit 1, column ${next}]`;
}
