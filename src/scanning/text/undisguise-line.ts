import { isKnownWord, readingOf, segment, undisguise } from './vocabulary.ts';

// Whatever was in the way of reading, folding has made Latin letters of what looks like them.
const SPACED = /(?<![a-z0-9])[a-z](?:[ .\-_*·•|,/]{1,3}[a-z]){4,}(?![a-z0-9])/g;
// Marks of emphasis and tags that only change how words look: inside a word, the page shows it as if they were not there.
const INSIDE_WORD = /(?<=[a-z])(?:\*{1,3}|~~|<\/?(?:b|i|u|em|strong|span|wbr|font)>|<!-{2,3}>)+(?=[a-z])/g;
const LOOKS = /<\/?(?:b|i|u|em|strong|span|font|mark|big|small)(?: [^<>]{0,200})?>/g;
const CHAINED = /(?<![a-z])[a-z]{1,24}(?:[_-][a-z]{1,24}){3,}/g;
const TOKEN = /[a-z0-9@$!|+€]{2,24}/g;

/** A folded line with the usual disguises of words taken off, and what else it says when read in another way. */
export function undisguiseLine(folded: string): { line: string; readings: string[] } {
  const joined = folded
    .replace(SPACED, joinLetters)
    .replace(INSIDE_WORD, '')
    .replace(LOOKS, ' ')
    .replace(CHAINED, (chain) => chain.replace(/[_-]/g, ' '));
  const readings = new Map<(line: string) => string, string>();
  const line = joined.replace(TOKEN, (token) => {
    if (token.length < 3) return token;
    const read = readings.size < 2 ? readingOf(token) : undefined;
    if (read) readings.set(read, read(joined));
    return undisguise(token) ?? token;
  });
  return { line: mendSplitWords(line).replace(/\s+/g, ' '), readings: [...readings.values()] };
}

/** `i g n o r e   a l l`: a wide gap is a gap between words; without any, the words are found by looking them up. */
function joinLetters(spaced: string): string {
  const words = spaced.split(/ {2,3}| [.\-_*·•|,/] /).map((word) => word.replace(/[^a-z]/g, ''));
  const [only] = words;
  if (words.length > 1 || only === undefined) return words.join(' ');
  return segment(only) ?? (isKnownWord(only) ? only : spaced);
}

/** `instruc tions`: two halves that are a word only together. */
function mendSplitWords(line: string): string {
  let mended = '';
  let kept = 0;
  let before: RegExpExecArray | undefined;
  for (const match of line.matchAll(/[a-z]+/g)) {
    const gap = before === undefined ? '' : line.slice(before.index + before[0].length, match.index);
    if (before && (gap === ' ' || gap === '-') && isSplit(before[0], match[0])) {
      mended += line.slice(kept, match.index - 1);
      kept = match.index;
    }
    before = match;
  }
  return kept === 0 ? line : mended + line.slice(kept);
}

function isSplit(first: string, second: string): boolean {
  const length = first.length + second.length;
  return length > 5 && length < 15 && isKnownWord(first + second) && !isKnownWord(second);
}
