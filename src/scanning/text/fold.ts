import { latinLookAlike } from './homoglyphs.ts';

// What is drawn as nothing: zero-width and format characters, fillers, variation selectors, tags.
const UNSEEN =
  /[\u034f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\p{Variation_Selector}\ufeff\uffa0\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const ACCENTS = /[\u0300-\u036f]/g;
const NOT_ASCII = /[^\x20-\x7e]/;

/**
 * One line as it would look to a tired eye: lower case, Latin letters for everything that looks like one, no accents,
 * nothing invisible. Rules are folded the same way, so that they match in other scripts too.
 */
export function fold(line: string): string {
  if (!NOT_ASCII.test(line)) return line.toLowerCase();
  const bare = line.replace(UNSEEN, '').normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();
  // Lower case can bring accents back, such as the dot of a Turkish capital.
  return Array.from(bare.replace(ACCENTS, ''), latinLookAlike).join('');
}

/** The same length, with a space for everything that is neither letter nor digit: what rules about words read. */
export function wordsOnly(folded: string): string {
  if (!NOT_ASCII.test(folded)) return folded.replace(/[^a-z0-9_]/g, ' ');
  return folded.replace(/[^\p{L}\p{M}\p{N}_]/gu, (character) => ' '.repeat(character.length));
}
