import { type Cell, toCells } from '../cells.ts';
import { linkTarget } from '../hyperlink.ts';
import type { Role, Theme } from '../theme.ts';

/** Text without any of these characters needs no parsing. */
const SPECIAL = /[\\*_~`[<&]|:\/\/|www\./;

/** Renders a segment of text with emphasis, code and links as cells. */
export function inlineCells(text: string, roles: readonly Role[], theme: Theme): Cell[] {
  if (!SPECIAL.test(text)) return toCells(text, roles);
  const items = readInline(text);
  pairDelimiters(items);
  return items.flatMap((item) => itemCells(item, item.roles.length === 0 ? roles : [...roles, ...item.roles], theme));
}

function itemCells(item: InlineItem, roles: readonly Role[], theme: Theme): Cell[] {
  switch (item.kind) {
    case 'text':
      return toCells(item.text, roles);
    case 'code':
      // Without colours the backticks stay, so that the start and end of a command are visible.
      return toCells(theme.colours === 'none' ? `\`${item.text}\`` : item.text, [...roles, 'inlineCode']);
    case 'delimiter':
      return toCells(item.character.repeat(item.count), roles);
    case 'link':
      return linkCells(item, roles, theme);
  }
}

/** The URL stays visible, so that the user can decide whether to follow the link. */
function linkCells(item: Extract<InlineItem, { kind: 'link' }>, roles: readonly Role[], theme: Theme): Cell[] {
  const { text, address } = item;
  const linked: readonly Role[] = [...roles, 'link'];
  const target = linkTarget(address);
  const clickable = (cells: Cell[]) => (target === undefined ? cells : cells.map((cell) => ({ ...cell, target })));
  if (text === address || `mailto:${text}` === address) return clickable(toCells(text, linked));
  // The link text may contain emphasis and code, but no other link.
  const cells = text.includes('://') ? toCells(text, linked) : inlineCells(text, linked, theme);
  const shown = toCells(address, [...roles, 'linkAddress']);
  return [...clickable(cells), ...toCells(' (', roles), ...clickable(shown), ...toCells(')', roles)];
}

/** A part of a text. Delimiters without a counterpart are rendered as text. */
type InlineItem =
  | { kind: 'text'; text: string; roles: Role[] }
  | { kind: 'code'; text: string; roles: Role[] }
  | { kind: 'link'; text: string; address: string; roles: Role[] }
  | { kind: 'delimiter'; character: string; count: number; opens: boolean; closes: boolean; roles: Role[] };

const ESCAPABLE = /[!-/:-@[-`{-~]/;
const ENTITIES = /^&(amp|lt|gt|quot|apos|nbsp|#39);/;
const ENTITY_TEXTS = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }));
/** Text up to the next special character; `h` and `w` may start a URL. */
const PLAIN = /[^\\`*_~[!<&hw]+/y;
const BARE_ADDRESS = /(?:https?:\/\/|www\.)[^\s<>\u3000-\u9fff\uff00-\uffef]+/y;

/** Splits a text into items, without pairing the delimiters. */
function readInline(text: string): InlineItem[] {
  const items: InlineItem[] = [];
  const addText = (piece: string) => {
    const last = items.at(-1);
    if (last?.kind === 'text') last.text += piece;
    else items.push({ kind: 'text', text: piece, roles: [] });
  };
  for (let at = 0; at < text.length; ) {
    const found = readSpecial(text, at);
    if (found?.item !== undefined) items.push(found.item);
    if (found !== undefined) {
      if (found.text !== undefined) addText(found.text);
      at = found.end;
      continue;
    }
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(text)?.[0] ?? text[at] ?? '';
    addText(plain);
    at += plain.length;
  }
  return items;
}

type Found = { end: number; item?: InlineItem; text?: string };

function readSpecial(text: string, at: number): Found | undefined {
  const [character = '', next = ''] = [text[at], text[at + 1]];
  switch (character) {
    case '\\':
      if (next === '\n') return { end: at + 1, text: '' };
      return ESCAPABLE.test(next) ? { end: at + 2, text: next } : undefined;
    case '`':
      return readCode(text, at);
    case '*':
    case '_':
    case '~':
      return readDelimiter(text, at);
    case '!':
    case '[':
      return readLink(text, at);
    case '<':
      return readTag(text, at);
    case '&': {
      const name = ENTITIES.exec(text.slice(at, at + 8))?.[1];
      return name === undefined ? undefined : { end: at + name.length + 2, text: ENTITY_TEXTS.get(name) ?? "'" };
    }
    default:
      return readBareAddress(text, at);
  }
}

/** Reads code between two runs of backticks of the same length; an unpaired run is text. */
function readCode(text: string, at: number): Found {
  const marks = /^`+/.exec(text.slice(at))?.[0] ?? '`';
  for (const { 0: run, index } of text.slice(at + marks.length).matchAll(/`+/g)) {
    if (run.length !== marks.length) continue;
    const code = text.slice(at + marks.length, at + marks.length + index).replaceAll('\n', ' ');
    // A space on both sides separates the delimiters from a backtick inside the code.
    const shown = /^ .*[^ ].* $|^ [^ ] $/.test(code) ? code.slice(1, -1) : code;
    return { end: at + marks.length * 2 + index, item: { kind: 'code', text: shown, roles: [] } };
  }
  return { end: at + marks.length, text: marks };
}

/** HTML is shown as text, except for `<br>`, which people use for line breaks in tables. */
function readTag(text: string, at: number): Found | undefined {
  const lineBreak = /^<br\s*\/?>/i.exec(text.slice(at, at + 12))?.[0];
  return lineBreak === undefined ? readAutolink(text, at) : { end: at + lineBreak.length, text: '\n' };
}

function readBareAddress(text: string, at: number): Found | undefined {
  if (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return undefined;
  BARE_ADDRESS.lastIndex = at;
  const found = BARE_ADDRESS.exec(text)?.[0];
  if (found === undefined) return undefined;
  const address = trimAddress(found);
  return { end: at + address.length, item: { kind: 'link', text: address, address, roles: [] } };
}

const SPACE = /\s/;
const WORD = /[\p{L}\p{N}]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
/** Unspaced scripts have no separators between words, so any of their letters counts as a word boundary. */
const WORD_BOUNDARY = /[\s\p{P}\p{S}\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/u;

/** The adjacent characters determine whether a delimiter may open or close emphasis. */
function readDelimiter(text: string, at: number): Found {
  const character = text[at] ?? '';
  let end = at;
  while (text[end] === character) end += 1;
  const count = end - at;
  const [before, after] = [text[at - 1] ?? ' ', text[end] ?? ' '];
  const inWord = character === '_' && WORD.test(before) && WORD.test(after);
  const usable = !inWord && (character !== '~' || count === 2);
  const flags = { opens: usable && isFlanking(after, before), closes: usable && isFlanking(before, after) };
  return { end, item: { kind: 'delimiter', character, count, ...flags, roles: [] } };
}

/**
 * A delimiter needs a non-space character on its inner side. If that is punctuation, its outer side must be a word
 * boundary (CommonMark's flanking rules).
 */
function isFlanking(inner: string, outer: string): boolean {
  return !SPACE.test(inner) && (!PUNCTUATION.test(inner) || WORD_BOUNDARY.test(outer));
}

type FoundLink = { end: number; item: Extract<InlineItem, { kind: 'link' }> };

/** Parses `[text](url "title")`, or an image with a leading `!`. Undefined if the bracket is plain text. */
function readLink(text: string, at: number): FoundLink | undefined {
  const start = text[at] === '!' ? at + 1 : at;
  if (text[start] !== '[') return undefined;
  const close = closingBracket(text, start);
  if (close === undefined || text[close + 1] !== '(') return undefined;
  const target = /^\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(
    text.slice(close + 1),
  );
  if (target === null) return undefined;
  const address = target[1] ?? target[2] ?? '';
  const label = text.slice(start + 1, close) || (start > at ? 'image' : address);
  const end = close + 1 + target[0].length;
  return { end, item: { kind: 'link', text: label, address, roles: [] } };
}

function closingBracket(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '[') depth += 1;
    else if (text[at] === ']' && --depth === 0) return at;
  }
  return undefined;
}

/** `<https://…>` and `<somebody@somewhere>`. */
function readAutolink(text: string, at: number): FoundLink | undefined {
  const match = /^<([a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>/i.exec(text.slice(at, at + 2100));
  const address = match?.[1];
  if (match === null || address === undefined) return undefined;
  return { end: at + match[0].length, item: { kind: 'link', text: address, address, roles: [] } };
}

/**
 * Removes trailing punctuation that more likely belongs to the sentence, and a bracket that was opened before the
 * URL.
 */
function trimAddress(address: string): string {
  let end = address.length;
  for (; end > 0; end--) {
    const last = address[end - 1] ?? '';
    const unopened = last === ')' && occurrences(address.slice(0, end), ')') > occurrences(address.slice(0, end), '(');
    if (!/[.,:;!?'"*_~`]/.test(last) && !unopened) break;
  }
  return address.slice(0, end);
}

function occurrences(text: string, character: string): number {
  return text.split(character).length - 1;
}

type Delimiter = Extract<InlineItem, { kind: 'delimiter' }>;

/** Pairs the delimiters and assigns their role to the items between them. */
function pairDelimiters(items: InlineItem[]): void {
  for (let at = 0; at < items.length; at++) {
    const closer = items[at];
    while (closer?.kind === 'delimiter' && closer.closes && closer.count > 0) {
      const start = findOpener(items, at, closer);
      if (start === undefined) break;
      joinPair(items, start, at);
    }
  }
}

function findOpener(items: readonly InlineItem[], before: number, closer: Delimiter): number | undefined {
  for (let at = before - 1; at >= 0; at--) {
    const item = items[at];
    if (item?.kind !== 'delimiter' || item.character !== closer.character || !item.opens || item.count === 0) continue;
    // CommonMark's multiple-of-3 rule, for delimiters that can both open and close: it keeps `**a*b**` together.
    const either = item.closes || closer.opens;
    if (!either || (item.count + closer.count) % 3 !== 0 || (item.count % 3 === 0 && closer.count % 3 === 0)) return at;
  }
  return undefined;
}

function joinPair(items: InlineItem[], start: number, end: number): void {
  const [opener, closer] = [items[start], items[end]];
  if (opener?.kind !== 'delimiter' || closer?.kind !== 'delimiter') return;
  const strength = Math.min(2, opener.count, closer.count);
  const role = roleOf(opener.character, strength);
  for (const item of items.slice(start + 1, end)) {
    if (!item.roles.includes(role)) item.roles.unshift(role);
    // Delimiters between a pair can no longer open or close anything.
    if (item.kind === 'delimiter') item.opens = item.closes = false;
  }
  opener.count -= strength;
  closer.count -= strength;
}

function roleOf(character: string, strength: number): Role {
  if (character === '~') return 'struck';
  return strength === 2 ? 'bold' : 'emphasis';
}
