import type { Role } from '../theme.ts';
import { emptyLine, endLine, type LineWrap, wrapCells, type WrapOptions } from '../wrap.ts';
import { inlineCells } from './inline.ts';
import { findSegmentEnd, UNSPACED_LETTER } from './segments.ts';
import type { BlockWriter } from './block-writer.ts';

/** A paragraph: text that cannot change any more is in `line` or already drawn, the rest is in `text`. */
export type Paragraph = {
  kind: 'paragraph';
  text: string;
  line: LineWrap;
  roles: readonly Role[];
  /** The length and the end of the last source line. */
  lastLine: { length: number; tail: string };
  /** True for a heading, which ends with its line. */
  oneLine: boolean;
};

export function openParagraph(text: string, roles: readonly Role[] = [], oneLine = false): Paragraph {
  return { kind: 'paragraph', text, line: emptyLine(), roles, oneLine, lastLine: lineFacts(text) };
}

/** Adds another source line. */
export function addLine(paragraph: Paragraph, text: string): void {
  paragraph.text += lineBreak(paragraph.lastLine, text) + text;
  paragraph.lastLine = lineFacts(text);
}

/** Adds more of the current source line. */
export function addToLine(paragraph: Paragraph, text: string): void {
  const { length, tail } = paragraph.lastLine;
  paragraph.text += text;
  paragraph.lastLine = { length: length + text.length, tail: (tail + text).slice(-TAIL) };
}

/** Source lines shorter than this were not wrapped by their author. */
const MIN_WRAPPED_LENGTH = 60;
const TAIL = 3;
const HARD_BREAK = /(?: {2}|\\)\r?$/;

function lineFacts(text: string): Paragraph['lastLine'] {
  return { length: text.length, tail: text.slice(-TAIL) };
}

/**
 * In Markdown a line break is a space, but most line breaks of models are intended. One becomes a space only if the
 * line looks wrapped and the next one continues with words.
 */
function lineBreak({ length, tail }: Paragraph['lastLine'], next: string): string {
  if (length < MIN_WRAPPED_LENGTH || HARD_BREAK.test(tail) || !/^[\p{L}\p{N}"'`(]/u.test(next)) return '\n';
  return UNSPACED_LETTER.test(tail.trimEnd().at(-1) ?? '') && UNSPACED_LETTER.test(next[0] ?? '') ? '' : ' ';
}

/** Draws the part of the paragraph that will not change. */
export function settleParagraph(paragraph: Paragraph, sheet: BlockWriter, options: WrapOptions): void {
  const { text, roles, line } = paragraph;
  let from = 0;
  for (let cut = findSegmentEnd(text, from); cut !== undefined; cut = findSegmentEnd(text, from)) {
    wrapCells(line, inlineCells(text.slice(from, cut), roles, sheet.theme), options);
    from = cut;
  }
  paragraph.text = text.slice(from);
}

export function endParagraph(paragraph: Paragraph, sheet: BlockWriter, options: WrapOptions): void {
  settleParagraph(paragraph, sheet, options);
  const rest = paragraph.text.trimEnd();
  wrapCells(paragraph.line, inlineCells(rest, paragraph.roles, sheet.theme), options);
  endLine(paragraph.line, options);
}
