import type { InlineItem } from './inline-items.ts';

type FoundLink = { end: number; item: Extract<InlineItem, { kind: 'link' }> };

/** `[text](address "title")`, with an exclamation mark before it a picture. Undefined where it is only a bracket. */
export function readLink(text: string, at: number): FoundLink | undefined {
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
export function readAutolink(text: string, at: number): FoundLink | undefined {
  const match = /^<([a-z][a-z\d+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>/i.exec(text.slice(at, at + 2100));
  const address = match?.[1];
  if (match === null || address === undefined) return undefined;
  return { end: at + match[0].length, item: { kind: 'link', text: address, address, roles: [] } };
}

/** Without what more likely belongs to the sentence: a full stop, or a bracket that was opened before the address. */
export function trimAddress(address: string): string {
  let end = address.length;
  for (; end > 0; end--) {
    const last = address[end - 1] ?? '';
    const unopened = last === ')' && count(address.slice(0, end), ')') > count(address.slice(0, end), '(');
    if (!/[.,:;!?'"*_~`]/.test(last) && !unopened) break;
  }
  return address.slice(0, end);
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
