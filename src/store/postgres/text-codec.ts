/**
 * PostgreSQL refuses U+0000 in text, and output of commands can hold one. It is written as a pair that begins with a
 * character which stands for nothing (U+FFFF); that one itself becomes a pair too, so that everything comes back as it
 * was. Hardly any text has either, and such text is not touched.
 */
const MARK = '\uffff';
const ODD = /[\0\uffff]/g;
const PAIR = /\uffff([01])/g;

export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.includes(MARK)) return text;
  return text.replace(ODD, (character) => (character === '\0' ? `${MARK}0` : `${MARK}1`));
}

export function decodeText(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(PAIR, (_, kind) => (kind === '0' ? '\0' : MARK));
}

/** A list as PostgreSQL writes one in text. */
export function toArrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${encodeText(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
