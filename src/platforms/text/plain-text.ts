import type { MessageContent, TextUnit } from '../../contracts/index.ts';
import { fromMarkdown } from './from-markdown.ts';
import { lengthIn, splitStyled } from './split.ts';
import { plain, type StyledText, writeOutLinks } from './styled-text.ts';
import { isVisible, trimStyled } from './visible.ts';

/** An answer for platforms without formatting: links are written out, and lists and tables are lines. */
export function toPlainText(markdown: string): StyledText {
  return plain(writeOutLinks(fromMarkdown(markdown.toWellFormed()), () => false).text);
}

/** Converts Markdown into messages without formatting, each within the limit. */
export function renderPlainText(markdown: string, limit: number, unit: TextUnit): MessageContent[] {
  return splitPlainText(toPlainText(markdown).text, limit, unit);
}

/** Splits a text without formatting into messages within the limit. */
export function splitPlainText(text: string, limit: number, unit: TextUnit): MessageContent[] {
  return splitStyled(plain(text), limit, (piece) => lengthIn(unit, piece.text))
    .map(trimStyled)
    .filter(isVisible)
    .map((piece) => ({ text: piece.text }));
}
