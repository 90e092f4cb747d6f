/** A piece of an XML text. Names are as written, with their prefix. */
export type XmlPiece =
  | { kind: 'open'; name: string; attributes: string; empty: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

/** Comments, CDATA, declarations, tags and text, in this order. */
const PIECES =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[!?][^>]*>|<(\/?)([^\s/>]+)((?:"[^"]*"|'[^']*'|[^>"'])*)>|([^<]+)/g;

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Goes through an XML text piece by piece. Entities that a document declares itself are not expanded, so none can blow up. */
export function* xmlPieces(xml: string): Generator<XmlPiece> {
  for (const [, data, slash, name, rest = '', text] of xml.matchAll(PIECES)) {
    if (data !== undefined) yield { kind: 'text', text: data };
    else if (text !== undefined) yield { kind: 'text', text: decodeEntities(text) };
    else if (name !== undefined && slash === '/') yield { kind: 'close', name };
    else if (name !== undefined) yield { kind: 'open', name, attributes: rest, empty: rest.endsWith('/') };
  }
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
