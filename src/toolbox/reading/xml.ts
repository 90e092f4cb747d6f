/** A piece of an XML text. Names are as written, with their prefix. */
export type XmlPiece =
  | { kind: 'open'; name: string; attributes: string; empty: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** More attributes than this no element of a document has. */
const MAX_ATTRIBUTES = 10_000;

/**
 * Goes through an XML text piece by piece, each character once, so that no text takes long. Entities that a document
 * declares itself are not expanded, so none can blow up. What is never closed ends the text.
 */
export function* xmlPieces(xml: string): Generator<XmlPiece> {
  for (let at = 0; at < xml.length; ) {
    const start = xml.indexOf('<', at);
    const textEnd = start < 0 ? xml.length : start;
    if (textEnd > at) yield { kind: 'text', text: decodeEntities(xml.slice(at, textEnd)) };
    if (start < 0) return;
    const { end, piece } = readMarkup(xml, start);
    if (piece) yield piece;
    at = end;
  }
}

function readMarkup(xml: string, start: number): { end: number; piece?: XmlPiece } {
  if (xml.startsWith('<!--', start)) return { end: behind(xml, '-->', start + 4) };
  if (xml.startsWith('<![CDATA[', start)) {
    const end = behind(xml, ']]>', start + 9);
    return { end, piece: { kind: 'text', text: xml.slice(start + 9, end - 3) } };
  }
  const next = xml[start + 1];
  if (next === '!' || next === '?') return { end: behind(xml, '>', start) };
  const end = behindTag(xml, start + 1);
  const inside = xml.slice(start + 1, Math.min(end - 1, start + MAX_ATTRIBUTES));
  const name = /^\/?[^\s/>]+/.exec(inside)?.[0] ?? '';
  if (name.startsWith('/')) return { end, piece: { kind: 'close', name: name.slice(1) } };
  const empty = xml[end - 2] === '/';
  return name === '' ? { end } : { end, piece: { kind: 'open', name, attributes: inside.slice(name.length), empty } };
}

function behind(xml: string, mark: string, from: number): number {
  const found = xml.indexOf(mark, from);
  return found < 0 ? xml.length : found + mark.length;
}

/** A tag ends at the first > that does not stand in quotes. */
function behindTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const character = xml[at];
    if (character === '>') return at + 1;
    if (character !== '"' && character !== "'") continue;
    at = xml.indexOf(character, at + 1);
    if (at < 0) break;
  }
  return xml.length;
}

export function attribute(attributes: string, name: string): string | undefined {
  for (const [, found, double, single] of attributes.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (found === name) return decodeEntities(double ?? single ?? '');
  }
  return undefined;
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
