import type { MessageContent } from '../../contracts/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { fromMarkdown } from '../text/from-markdown.ts';
import { lengthIn, splitStyled } from '../text/split.ts';
import { type Span, type StyledText, writeOutLinks } from '../text/styled-text.ts';
import { isVisible, trimStyled } from '../text/visible.ts';
import { canLink, flatten } from './flatten.ts';

export const MAX_TEXT = 4096;
/** Telegram ignores further ones. */
const MAX_ENTITIES = 100;

/**
 * Converts Markdown into messages. Formatting is sent as entities: unlike Telegram's own Markdown, they cannot fail to
 * parse, and their offsets count UTF-16 code units as JavaScript does.
 */
export function renderTelegram(markdown: string): MessageContent[] {
  const pieces = splitStyled(flatten(toTelegramText(markdown)), MAX_TEXT, measure);
  return pieces.map(trimStyled).filter(isVisible).map(toContent);
}

/** The text of all messages before it is split. */
export function toTelegramText(markdown: string): StyledText {
  // Half a surrogate pair is not valid UTF-8.
  return writeOutLinks(fromMarkdown(markdown.toWellFormed()), canLink);
}

function measure({ text, spans }: StyledText): number {
  return spans.length > MAX_ENTITIES ? Number.POSITIVE_INFINITY : lengthIn('utf16', text);
}

function toContent({ text, spans }: StyledText): MessageContent {
  return spans.length === 0 ? { text } : { text, format: { entities: spans.map(toEntity) } };
}

const TYPES = {
  bold: 'bold',
  italic: 'italic',
  strike: 'strikethrough',
  code: 'code',
  quote: 'blockquote',
  block: 'pre',
  link: 'text_link',
} as const;

function toEntity({ from, to, style }: Span): JsonObject {
  const entity: JsonObject = { type: TYPES[style.kind], offset: from, length: to - from };
  if (style.kind === 'link') entity['url'] = style.url;
  if (style.kind === 'block' && style.language !== undefined) entity['language'] = style.language;
  return entity;
}
