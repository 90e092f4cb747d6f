import { redactForModel } from '../util/index.ts';

/** A text that comes in pieces, without its secrets. */
export interface RedactedStream {
  push(text: string): void;
  /** Hands on what was held back. */
  end(): void;
}

/** More than this is not held back: no secret is so long, and somebody watches. */
const MOST_HELD = 16 * 1024;
/** So far before its end a text may begin what only the next piece makes a secret. */
const TAIL = 200;
/** How a secret may go on: with its value, with what stands before the value, or as a private key. */
const CONTINUATIONS = ['a1b2c3d4e5f6g7h8i9j0', '="a1b2c3d4e5f6g7h8i9j0', 'PRIVATE KEY-----', 'KEY-----'];
const PRIVATE_KEY_BEGIN = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g;
const PRIVATE_KEY_END = /-----END [A-Z ]*PRIVATE KEY-----/;

/**
 * Takes out of a stream what is taken out of a whole text, wherever its pieces are cut. Secrets have no blanks in them, so
 * a text can be cut behind one, unless what stands there makes a secret of what follows.
 */
export function createRedactedStream(emit: (text: string) => void): RedactedStream {
  let held = '';

  function release(end: number): void {
    const text = redactForModel(held.slice(0, end));
    held = held.slice(end);
    if (text !== '') emit(text);
  }

  return {
    push(text) {
      held += text;
      const key = openPrivateKey(held);
      const end = key?.from ?? lastCut(held);
      if (held.length - end <= MOST_HELD) return release(end);
      release(held.length);
      // The rest of it is still to come, and is no less secret.
      if (key !== undefined) held = key.heading;
    },
    end: () => release(held.length),
  };
}

/** A private key that has begun and not ended. */
function openPrivateKey(text: string): { from: number; heading: string } | undefined {
  const last = [...text.matchAll(PRIVATE_KEY_BEGIN)].at(-1);
  if (last === undefined || PRIVATE_KEY_END.test(text.slice(last.index))) return undefined;
  return { from: last.index, heading: last[0] };
}

/** The last place at which the text can be cut without making two halves of a secret; 0 where there is none. */
function lastCut(text: string): number {
  for (const match of text.slice(-MOST_HELD).matchAll(/\s(?=\S*$)/g)) {
    let end = Math.max(text.length - MOST_HELD, 0) + match.index + 1;
    while (end > 0 && isOpenEnd(text.slice(Math.max(end - TAIL, 0), end))) {
      end = text.slice(0, end - 1).search(/\s\S*$/) + 1;
    }
    return end;
  }
  return 0;
}

function isOpenEnd(tail: string): boolean {
  const alone = redactForModel(tail);
  return CONTINUATIONS.some((more) => redactForModel(tail + more) !== alone + more);
}
