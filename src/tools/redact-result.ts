import { redactForModel } from '../util/index.ts';

/** Longer texts are looked through in pieces, so that nothing else has to wait for long. */
const PIECE = 256 * 1024;

/** A result without secrets. Cut at line ends only: a secret does not go over two lines, except for a private key. */
export async function redactResult(text: string): Promise<string> {
  if (text.length <= PIECE) return redactForModel(text);
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start);
    pieces.push(redactForModel(text.slice(start, end)));
    start = end;
    await new Promise(setImmediate);
  }
  return pieces.join('');
}

function endOfPiece(text: string, start: number): number {
  if (start + PIECE >= text.length) return text.length;
  const lineEnd = text.lastIndexOf('\n', start + PIECE);
  const end = lineEnd > start ? lineEnd + 1 : start + PIECE;
  // A private key that begins in this piece belongs to it as a whole.
  const begin = text.lastIndexOf('-----BEGIN ', end);
  if (begin < start) return end;
  const close = text.indexOf('-----END ', begin);
  const closed = close < 0 ? -1 : text.indexOf('\n', close);
  return close >= end && closed >= 0 && closed - begin < PIECE ? closed + 1 : end;
}
