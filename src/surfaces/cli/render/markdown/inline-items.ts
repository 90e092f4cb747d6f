import type { Role } from '../theme.ts';
import { readAutolink, readLink, trimAddress } from './links.ts';

/** A piece of running text, in order; delimiters that come to nothing are text too. */
export type InlineItem =
  | { kind: 'text'; text: string; roles: Role[] }
  | { kind: 'code'; text: string; roles: Role[] }
  | { kind: 'link'; text: string; address: string; roles: Role[] }
  | { kind: 'delimiter'; character: string; count: number; opens: boolean; closes: boolean; roles: Role[] };

const ESCAPABLE = /[!-/:-@[-`{-~]/;
const ENTITIES = /^&(amp|lt|gt|quot|apos|nbsp|#39);/;
const ENTITY_TEXTS = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }));
/** Up to the next character that may mean something; `h` and `w` may begin an address. */
const PLAIN = /[^\\`*_~[!<&hw]+/y;
const BARE_ADDRESS = /(?:https?:\/\/|www\.)[^\s<>\u3000-\u9fff\uff00-\uffef]+/y;

/** What a text is made of, without regard to how delimiters belong together. */
export function readInline(text: string): InlineItem[] {
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

/** A run of backticks up to the next one of the same length; alone it is text. */
function readCode(text: string, at: number): Found {
  const marks = /^`+/.exec(text.slice(at))?.[0] ?? '`';
  for (const { 0: run, index } of text.slice(at + marks.length).matchAll(/`+/g)) {
    if (run.length !== marks.length) continue;
    const code = text.slice(at + marks.length, at + marks.length + index).replaceAll('\n', ' ');
    // One space at both sides is there to set off a backtick within.
    const shown = /^ .*[^ ].* $|^ [^ ] $/.test(code) ? code.slice(1, -1) : code;
    return { end: at + marks.length * 2 + index, item: { kind: 'code', text: shown, roles: [] } };
  }
  return { end: at + marks.length, text: marks };
}

/** HTML is text for us, except for the one tag that people use for what Markdown lacks in tables. */
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
/** Scripts without spaces have nothing else between words, so any of their letters is a border. */
const BORDER = /[\s\p{P}\p{S}\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/u;

/** Whether it may open or close emphasis is told by what stands at its sides. */
function readDelimiter(text: string, at: number): Found {
  const character = text[at] ?? '';
  let end = at;
  while (text[end] === character) end += 1;
  const count = end - at;
  const [before, after] = [text[at - 1] ?? ' ', text[end] ?? ' '];
  const inWord = character === '_' && WORD.test(before) && WORD.test(after);
  const usable = !inWord && (character !== '~' || count === 2);
  const flags = { opens: usable && leans(after, before), closes: usable && leans(before, after) };
  return { end, item: { kind: 'delimiter', character, count, ...flags, roles: [] } };
}

/** A delimiter leans on a word; on a mark only where something else is at its other side. */
function leans(inner: string, outer: string): boolean {
  return !SPACE.test(inner) && (!PUNCTUATION.test(inner) || BORDER.test(outer));
}
