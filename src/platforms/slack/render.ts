import type { JsonObject } from '../../base/index.ts';
import type { MessageContent } from '../../contracts/index.ts';
import { fromMarkdown } from '../text/from-markdown.ts';
import { lengthIn, splitStyled } from '../text/split.ts';
import {
  forEachRun,
  plain,
  sliceStyled,
  type Style,
  type StyledText,
  StyledWriter,
  writeOutLinks,
} from '../text/styled-text.ts';

/** Slack rejects longer texts in edits, and splits or cuts them in messages. */
export const MAX_TEXT = 4000;
/** Slack does not say how long the blocks of a message may be. It was seen to reject 13,000 characters of JSON. */
const MAX_JSON = 11_000;

/**
 * Converts Markdown into messages. Formatting is sent as `rich_text`: unlike Slack's own markup, it cannot fail to parse,
 * literal `*` and `_` stay what they are, and no text can mention a user or a channel.
 */
export function renderSlack(markdown: string): MessageContent[] {
  const pieces = splitStyled(toSlackText(markdown), MAX_TEXT, measure);
  return pieces.map(trimLines).filter(isVisible).map(toContent);
}

/** The text of all messages before it is split: each code block and each quote has lines of its own. */
export function toSlackText(markdown: string): StyledText {
  const groups = toGroups(removeControls(writeOutLinks(fromMarkdown(markdown.toWellFormed()), canLink)));
  const writer = new StyledWriter();
  for (const [index, { style, content }] of groups.entries()) {
    const start = index === 0 ? 0 : content.text.length - content.text.replace(/^\n+/, '').length;
    const end = index === groups.length - 1 ? content.text.length : content.text.replace(/\n+$/, '').length;
    if (start >= end) continue;
    if (writer.length > 0) writer.add(plain('\n'));
    writer.add(sliceStyled(content, start, end), style);
  }
  return writer.finish();
}

function measure(piece: StyledText): number {
  const json = Buffer.byteLength(JSON.stringify(toElements(piece)));
  return Math.max(lengthIn('utf16', piece.text), (json / MAX_JSON) * MAX_TEXT);
}

/** The styles of a line; a part of a text has one of them at most. */
type LineStyle = Extract<Style, { kind: 'block' | 'quote' }>;
type Group = { style: LineStyle | undefined; content: StyledText };

/** Consecutive runs of text that are in the same code block, in the same quote, or in neither. */
function toGroups(whole: StyledText): Group[] {
  const groups: { style: LineStyle | undefined; writer: StyledWriter }[] = [];
  forEachRun(whole, (run, styles) => {
    const block = styles.find(({ kind }) => kind === 'block');
    const style = (block ?? styles.find(({ kind }) => kind === 'quote')) as LineStyle | undefined;
    let last = groups.at(-1);
    if (last === undefined || last.style !== style) {
      last = { style, writer: new StyledWriter() };
      groups.push(last);
    }
    last.writer.add(addStyles(run, block === undefined ? styles : []));
  });
  return groups.map(({ style, writer }) => ({ style, content: writer.finish() }));
}

/** The text of a run with its styles around it, each kind once. */
function addStyles(run: string, styles: readonly Style[]): StyledText {
  const inline = styles.filter(({ kind }) => kind !== 'block' && kind !== 'quote');
  const kinds = new Map(inline.map((style) => [style.kind, style]));
  return [...kinds.values()].reduceRight<StyledText>((inner, style) => {
    const writer = new StyledWriter();
    writer.add(inner, style);
    return writer.finish();
  }, plain(run));
}

/** Slack has no characters for controls other than line breaks and tabs. */
function removeControls({ text, spans }: StyledText): StyledText {
  const writer = new StyledWriter();
  const whole = { text, spans };
  let from = 0;
  for (const { index } of text.matchAll(/[\p{Cc}--[\n\t]]/gv)) {
    writer.add(sliceStyled(whole, from, index));
    from = index + 1;
  }
  if (from === 0) return whole;
  writer.add(sliceStyled(whole, from, text.length));
  return writer.finish();
}

const MAX_URL = 1000;

/** Slack rejects a message with a link that it cannot read. */
function canLink(url: string): boolean {
  const parsed = URL.parse(url);
  const hasTarget =
    parsed !== null && (parsed.hostname !== '' || (parsed.protocol === 'mailto:' && parsed.pathname !== ''));
  return hasTarget && url.length <= MAX_URL && url.isWellFormed() && !/[\s\p{Cc}<>|]/u.test(url);
}

/** Empty lines at both ends are not shown. */
function trimLines(piece: StyledText): StyledText {
  const start = piece.text.length - piece.text.replace(/^\n+/, '').length;
  return sliceStyled(piece, start, Math.max(start, piece.text.replace(/\n+$/, '').length));
}

const INVISIBLE =
  /^[\s\p{Cc}\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\ufeff\ufffc\u{e0000}-\u{e007f}]*$/u;

/** A message with nothing visible would be rejected as empty. */
export function isVisible({ text }: { text: string }): boolean {
  return !INVISIBLE.test(text);
}

function toContent(piece: StyledText): MessageContent {
  return { text: piece.text, format: { elements: toElements(piece) } };
}

/** The blocks of a message. Content without a format is plain text. */
export function toBlocks({ text, format }: MessageContent): JsonObject[] {
  return [
    { type: 'rich_text', elements: format?.['elements'] ?? toElements(removeControls(plain(text.toWellFormed()))) },
  ];
}

const ELEMENTS = { block: 'rich_text_preformatted', quote: 'rich_text_quote' } as const;

/** Each element has lines of its own, so the line breaks between them are not part of the text. */
function toElements(piece: StyledText): JsonObject[] {
  const groups = toGroups(piece);
  return groups.flatMap(({ style, content }, index) => {
    const { text } = content;
    if (style !== undefined) return [{ type: ELEMENTS[style.kind], elements: toInline(content) }];
    const start = index > 0 && text.startsWith('\n') ? 1 : 0;
    const end = index < groups.length - 1 && text.endsWith('\n') ? text.length - 1 : text.length;
    return start >= end ? [] : [{ type: 'rich_text_section', elements: toInline(sliceStyled(content, start, end)) }];
  });
}

function toInline(content: StyledText): JsonObject[] {
  const elements: JsonObject[] = [];
  forEachRun(content, (run, styles) => {
    const link = styles.find((style) => style.kind === 'link');
    const element: JsonObject =
      link === undefined ? { type: 'text', text: run } : { type: 'link', url: link.url, text: run };
    const marks = styles.filter(({ kind }) => kind !== 'link').map(({ kind }) => [kind, true]);
    if (marks.length > 0) element['style'] = Object.fromEntries(marks) as JsonObject;
    elements.push(element);
  });
  return elements;
}
