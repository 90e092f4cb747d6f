import type { Role } from '../theme.ts';
import { emptyLine, endLine, type LineWrap, wrapCells, type WrapOptions } from '../wrap.ts';
import { inlineCells } from './inline.ts';
import { findCut, WIDE_LETTER } from './segments.ts';
import type { Sheet } from './sheet.ts';

/** Running text: what cannot change any more is in `line` or drawn, the rest waits in `text`. */
export type Paragraph = {
  kind: 'paragraph';
  text: string;
  line: LineWrap;
  roles: readonly Role[];
  /** How long the last line of the source is, and how it ends. */
  lastLine: { length: number; tail: string };
  /** A heading ends with its line. */
  oneLine: boolean;
};

export function openParagraph(text: string, roles: readonly Role[] = [], oneLine = false): Paragraph {
  return { kind: 'paragraph', text, line: emptyLine(), roles, oneLine, lastLine: lineFacts(text) };
}

/** Another line of the source. */
export function addLine(paragraph: Paragraph, text: string): void {
  paragraph.text += lineBreak(paragraph.lastLine, text) + text;
  paragraph.lastLine = lineFacts(text);
}

/** More of the line that the source is in. */
export function addToLine(paragraph: Paragraph, text: string): void {
  const { length, tail } = paragraph.lastLine;
  paragraph.text += text;
  paragraph.lastLine = { length: length + text.length, tail: (tail + text).slice(-TAIL) };
}

/** Text that was wrapped by whoever wrote it has lines at least this long. */
const WRAPPED = 60;
const TAIL = 3;
const HARD_BREAK = /(?: {2}|\\)\r?$/;

function lineFacts(text: string): Paragraph['lastLine'] {
  return { length: text.length, tail: text.slice(-TAIL) };
}

/**
 * For Markdown a line break is a space. Models mean most of theirs, though, so one is taken back only where a line looks
 * as if it was wrapped, and the next one goes on with words.
 */
function lineBreak({ length, tail }: Paragraph['lastLine'], next: string): string {
  if (length < WRAPPED || HARD_BREAK.test(tail) || !/^[\p{L}\p{N}"'`(]/u.test(next)) return '\n';
  return WIDE_LETTER.test(tail.trimEnd().at(-1) ?? '') && WIDE_LETTER.test(next[0] ?? '') ? '' : ' ';
}

/** Draws as much of it as will not change. */
export function settleParagraph(paragraph: Paragraph, sheet: Sheet, options: WrapOptions): void {
  const { text, roles, line } = paragraph;
  let from = 0;
  for (let cut = findCut(text, from); cut !== undefined; cut = findCut(text, from)) {
    wrapCells(line, inlineCells(text.slice(from, cut), roles, sheet.theme), options);
    from = cut;
  }
  paragraph.text = text.slice(from);
}

export function endParagraph(paragraph: Paragraph, sheet: Sheet, options: WrapOptions): void {
  settleParagraph(paragraph, sheet, options);
  const rest = paragraph.text.trimEnd();
  wrapCells(paragraph.line, inlineCells(rest, paragraph.roles, sheet.theme), options);
  endLine(paragraph.line, options);
}
