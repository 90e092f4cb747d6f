import { decodeUtf8 } from '../text/encoding.ts';
import type { Page, PageLine, PageRequest } from './page.ts';

const NEWLINE = 10;
const RETURN = 13;
/** How much of one line is kept: some files are one line of gigabytes. */
const MAX_KEPT = 16 * 1024 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';

/** Takes the bytes of a file in order and keeps the lines that are wanted. */
export interface LineCollector {
  push(bytes: Uint8Array): void;
  /** Whether all that was wanted is there; what follows is only counted. */
  isFull(): boolean;
  finish(): Page;
}

export function createLineCollector({ first, count, budget }: PageRequest): LineCollector {
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
