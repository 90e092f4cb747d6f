import { sliceStyled, type StyledText } from './styled-text.ts';

/** What platforms count as nothing: space, control characters, and characters without width. */
const INVISIBLE =
  /^(?:[\s\p{Cc}\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f\u2800\u3000\ufeff\ufffc\u{e0000}-\u{e007f}]|\u0333|\u033f|\u030a)*$/u;

/** A message with nothing visible would be rejected as empty. */
export function isVisible({ text }: { text: string }): boolean {
  return !INVISIBLE.test(text);
}

/** Platforms remove space at both ends. This is done before, so that formatting stays where it belongs. */
export function trimStyled(piece: StyledText): StyledText {
  const start = piece.text.length - piece.text.trimStart().length;
  return sliceStyled(piece, start, Math.max(start, piece.text.trimEnd().length));
}
