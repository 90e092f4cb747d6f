/**
 * PostgreSQL rejects U+0000 in text, and command output may contain it. It is encoded as U+FFFF, which is not a
 * character, followed by a digit; U+FFFF itself is encoded the same way, so that everything decodes to the original.
 * Other text is unchanged.
 */
const ESCAPE = '\uffff';
const SPECIAL = /[\0\uffff]/g;
const PAIR = /\uffff([01])/g;

export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replace(SPECIAL, (character) => (character === '\0' ? `${ESCAPE}0` : `${ESCAPE}1`));
}

export function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replace(PAIR, (_, kind) => (kind === '0' ? '\0' : ESCAPE));
}

/** Formats a PostgreSQL array literal. */
export function toArrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${encodeText(value).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
