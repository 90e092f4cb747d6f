import { isKnownWord, readingOf, segment, undisguise } from './vocabulary.ts';

const SPACED = /(?<![\p{L}\p{N}])\p{L}(?:[ .\-_*·•|,/]{1,3}\p{L}){4,}(?![\p{L}\p{N}])/gu;
// Marks of emphasis and empty tags inside a word: the page shows the word as if they were not there.
const INSIDE_WORD = /(?<=\p{L})(?:\*{1,3}|~~|<\/?(?:b|i|u|em|strong|span|wbr|font)>|<!-{2,3}>)+(?=\p{L})/gu;
const CHAINED = /\p{L}+(?:[_-]\p{L}+){3,}/gu;
const TOKEN = /[\p{L}\p{N}@$!|+€]{3,24}/gu;

/** A folded line with the usual disguises of words taken off, and what else it says when read in another way. */
export function undisguiseLine(folded: string): { line: string; readings: string[] } {
  const joined = folded
    .replace(SPACED, joinLetters)
    .replace(INSIDE_WORD, '')
    .replace(CHAINED, (chain) => chain.replace(/[_-]/g, ' '));
  const readings = new Map<(line: string) => string, string>();
  const line = joined.replace(TOKEN, (token) => {
    const read = readings.size < 2 ? readingOf(token) : undefined;
    if (read) readings.set(read, read(joined));
    return undisguise(token) ?? undisguise(token.replace(/[!|+]+$/, '')) ?? token;
  });
  return { line: mendSplitWords(line).replace(/\s+/g, ' '), readings: [...readings.values()] };
}

/** `i g n o r e   a l l`: a wide gap is a gap between words; without any, the words are found by looking them up. */
function joinLetters(spaced: string): string {
  const words = spaced.split(/ {2,3}| [.\-_*·•|,/] /).map((word) => word.replace(/[^\p{L}]/gu, ''));
  const [only] = words;
  if (words.length > 1 || only === undefined) return words.join(' ');
  return segment(only) ?? (isKnownWord(only) ? only : spaced);
}

/** `instruc tions`: two halves that are a word only together. */
function mendSplitWords(line: string): string {
  return line.replace(
    /(?<!\p{L})(\p{L}{2,9})[ -](?=(\p{L}{2,9})(?!\p{L}))/gu,
    (whole, first: string, second: string) =>
      first.length + second.length > 5 && isKnownWord(first + second) && !isKnownWord(second) ? first : whole,
  );
}
