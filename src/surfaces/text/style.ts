import { stripAnsi } from '../../util/index.ts';

type Paint = (text: string) => string;

/** Colours and weights, where a surface has them. */
export type Style = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Paint>;

/**
 * Text of others, made harmless for a terminal: no escape sequences, and control characters are shown instead of
 * obeyed, so that what is read is what there is.
 */
export function showable(text: string): string {
  return showableWhole(stripAnsi(text));
}

/**
 * The same for what is going to be run: nothing of it is left out, because a shell runs the inside of an escape sequence
 * like anything else.
 */
export function showableWhole(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, visibly);
}

function visibly(character: string): string {
  const code = character.charCodeAt(0);
  if (character === '\r') return '';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
