import { stripAnsi } from '../../util/index.ts';

type Paint = (text: string) => string;

/** Text styles; the functions return the text unchanged on surfaces without colours. */
export type Style = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Paint>;

/**
 * Makes untrusted text safe for a terminal: removes escape sequences, and replaces control characters with visible
 * ones.
 */
export function printable(text: string): string {
  return printableWhole(stripAnsi(text));
}

/**
 * Like `printable`, but for text that is going to be executed: escape sequences stay visible, because a shell would
 * execute their content.
 */
export function printableWhole(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, visibly);
}

function visibly(character: string): string {
  const code = character.charCodeAt(0);
  if (character === '\r') return '';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
