import type { Role } from '../theme.ts';
import { emptyLine, endLine, type LineWrap, wrapCells, type WrapOptions } from '../wrap.ts';
import { inlineCells } from './inline.ts';
import { findCut } from './segments.ts';
import type { Sheet } from './sheet.ts';

/** Running text: what cannot change any more is in `line` or drawn, the rest waits in `text`. */
export type Paragraph = {
  kind: 'paragraph';
  text: string;
  line: LineWrap;
  roles: readonly Role[];
  /** A heading ends with its line. */
  oneLine: boolean;
};

export function openParagraph(text: string, roles: readonly Role[] = [], oneLine = false): Paragraph {
  return { kind: 'paragraph', text, line: emptyLine(), roles, oneLine };
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
