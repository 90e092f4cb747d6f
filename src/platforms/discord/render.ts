import type { MessageContent } from '../../contracts/index.ts';
import { fromMarkdown } from '../text/from-markdown.ts';
import { lengthIn, splitStyled } from '../text/split.ts';
import { plain, sliceStyled, type Span, type StyledText, StyledWriter } from '../text/styled-text.ts';
import { isVisible, trimStyled } from '../text/visible.ts';
import { writeMarkup } from './markup.ts';

export const MAX_TEXT = 2000;
/** Which formats are written depends on both ends of a piece, so a shorter piece can be a little longer as markup. */
const PIECE = MAX_TEXT - 20;
/** A longer address leaves too little space for its label. */
const MAX_ADDRESS = 500;

/** Converts Markdown into messages. */
export function renderDiscord(markdown: string): MessageContent[] {
  const pieces = splitStyled(toDiscordText(markdown), PIECE, (piece) => lengthIn('codePoints', writeMarkup(piece)));
  return pieces
    .map(trimStyled)
    .filter(isVisible)
    .map((piece) => ({ text: writeMarkup(piece) }));
}

/** The text of all messages before it is split. */
export function toDiscordText(markdown: string): StyledText {
  const clean = markdown
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '');
  return trimBlocks(writeOutLinks(fromMarkdown(clean)));
}

/** Discord does not show empty lines at the start and at the end of a code block. */
function trimBlocks(whole: StyledText): StyledText {
  const blocks = whole.spans.filter(({ style }) => style.kind === 'block');
  const writer = new StyledWriter();
  let from = 0;
  const skip = (start: number, end: number) => {
    if (start < from) return;
    writer.add(sliceStyled(whole, from, start));
    from = end;
  };
  for (const block of blocks) {
    const code = whole.text.slice(block.from, block.to);
    if (code.trim() === '') continue;
    const end = code.replace(/\n+$/, '').length;
    skip(block.from, block.from + (code.length - code.replace(/^\n+/, '').length));
    skip(block.from + end, block.to);
  }
  writer.add(sliceStyled(whole, from, whole.text.length));
  return writer.finish();
}

/** Discord hides an address only behind a label without another address. Other addresses become part of the text. */
function writeOutLinks(whole: StyledText): StyledText {
  const links = whole.spans.filter(({ style }) => style.kind === 'link');
  const replaced = new Map(links.map((span) => [span, linkOf(whole.text, span)]));
  const spans = whole.spans.flatMap((span) => (replaced.has(span) ? (replaced.get(span)?.span ?? []) : [span]));
  const writer = new StyledWriter();
  let from = 0;
  for (const [{ to }, { added }] of replaced) {
    if (added === '' || to <= from) continue;
    writer.add(sliceStyled({ text: whole.text, spans }, from, to));
    writer.add(plain(added));
    from = to;
  }
  writer.add(sliceStyled({ text: whole.text, spans }, from, whole.text.length));
  return writer.finish();
}

/** How a link is written: as a link, or as its label followed by the address, unless they are the same. */
function linkOf(text: string, { from, to, style }: Span): { span?: Span; added: string } {
  const label = text.slice(from, to);
  const url = style.kind === 'link' ? style.url : '';
  const isSame = label === url || `mailto:${label}` === url || `http://${label}` === url;
  if (isSame) return { added: '' };
  const address = encodeAddress(url);
  const canHide = address !== undefined && !/[[\]]|https?:/.test(label) && isVisible({ text: label });
  return canHide ? { span: { from, to, style: { kind: 'link', url: address } }, added: '' } : { added: ` (${url})` };
}

/** An address that does not contain a character with a meaning in Markdown; undefined if there is none. */
function encodeAddress(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  const address = parsed.href.replaceAll(
    /[^\w.\-/?#@!$&+,;=%:]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return address.length > MAX_ADDRESS ? undefined : address;
}
