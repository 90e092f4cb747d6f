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
  const pieces = splitStyled(toPlainText(markdown), limit, ({ text }) => lengthIn(unit, text));
  return pieces
    .map(trimStyled)
    .filter(isVisible)
    .map(({ text }) => ({ text }));
}
