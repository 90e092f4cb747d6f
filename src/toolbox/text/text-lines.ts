import { ToolFailure } from '../../tools/index.ts';

/** A line of a text with its offsets. */
export type TextLine = {
  /** Without the line ending. */
  text: string;
  start: number;
  /** Offset of the line ending. */
  end: number;
  /** Offset after the line ending. */
  next: number;
};

/** Splits a text into lines with offsets; a trailing newline does not start another line. */
export function linesOf(text: string): TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline + 1;
    const stop = newline < 0 ? text.length : newline;
    const end = newline > start && text[newline - 1] === '\r' ? stop - 1 : stop;
    lines.push({ text: text.slice(start, end), start, end, next });
    start = next;
  }
  return lines;
}

/** The line number, from 1, of an offset. */
export function lineNumberAt(text: string, index: number): number {
  let number = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) number += 1;
  return number;
}

/** The line ending that a new line at an offset should have, taken from the lines around it. */
export function lineEndAt(text: string, index: number): '\r\n' | '\n' {
  const following = text.indexOf('\n', index);
  const newline = following >= 0 ? following : text.lastIndexOf('\n', index);
  return newline > 0 && text[newline - 1] === '\r' ? '\r\n' : '\n';
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

export const BYTE_ORDER_MARK = '\uFEFF';

/** Whether every line of a text ends in CR LF. */
function usesCrLf(text: string): boolean {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
}

function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Gives new content the byte order mark and the line endings of the existing file. */
export function withLineEndingsOf(existing: string, content: string): string {
  const lines = usesCrLf(existing) ? toCrLf(content) : content;
  const needsMark = existing.startsWith(BYTE_ORDER_MARK) && !lines.startsWith(BYTE_ORDER_MARK);
  return needsMark ? BYTE_ORDER_MARK + lines : lines;
}

/** Counts lines; a trailing newline does not start another line. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const breaks = text.split('\n').length - 1;
  return text.endsWith('\n') ? breaks : breaks + 1;
}

/** Whether every line begins with `N|` in sequence, as `read_file` shows them. A single line is not enough. */
export function hasLineNumbers(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length < 2) return false;
  const first = numberOf(lines[0]);
  return first !== undefined && lines.every((line, index) => numberOf(line) === first + index);
}

function numberOf(line: string | undefined): number | undefined {
  const digits = /^\s*(\d{1,9})\|/.exec(line ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Refuses text that still has the line numbers of `read_file`. */
export function rejectLineNumbers(parameter: string, text: string): void {
  if (!hasLineNumbers(text)) return;
  throw new ToolFailure(
    `${parameter} contains the line numbers of read_file (N|). Nothing was changed. Remove them. If they really belong in the file, write the file with a terminal command.`,
  );
}
