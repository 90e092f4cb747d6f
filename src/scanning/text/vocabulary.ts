/** The key words of the rules, which attackers therefore obfuscate. */
const WORDS =
  `ignore disregard forget override bypass obey disobey discard neglect all any every everything previous prior preceding
  above earlier instruction instructions prompt prompts directive directives guideline guidelines rules system message
  developer assistant restrictions constraints safeguards training programming context before following follow reveal
  secret secrets password passwords credentials credential token tokens send upload execute print repeat the your you
  are now from and user tell without telling without unrestricted jailbreak hidden keys private environment variables
  safety policies policy commands new real pretend original initial`
    .split(/\s+/)
    .filter(Boolean);
const LEET: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  l: 'i',
  '!': 'i',
  '|': 'i',
  '3': 'e',
  '€': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
  '+': 't',
  '8': 'b',
  '9': 'g',
  '6': 'g',
  '2': 'z',
};
const NOT_LETTERS = /[^a-z]/;
const HAS_LETTER = /[a-z]/;
const DOUBLE = /([a-z])\1/;
// Only Latin letters are needed, because folding has already replaced look-alikes.
const SPACED = /(?<![a-z0-9])[a-z](?:[ .\-_*·•|,/]{1,3}[a-z]){4,}(?![a-z0-9])/g;
// Emphasis markers and tags inside a word, which a rendered page does not show.
const INSIDE_WORD = /(?<=[a-z])(?:\*{1,3}|~~|<\/?(?:b|i|u|em|strong|span|wbr|font)>|<!-{2,3}>)+(?=[a-z])/g;
const LOOKS = /<\/?(?:b|i|u|em|strong|span|font|mark|big|small)(?: [^<>]{0,200})?>/g;
const CHAINED = /(?<![a-z])[a-z]{1,24}(?:[_-][a-z]{1,24}){3,}/g;
const TOKEN = /[a-z0-9@$!|+€]{2,24}/g;

const known = new Set(WORDS);

const bySkeleton = new Map(WORDS.map((word) => [skeleton(word), word]));

const byShuffle = new Map([...longerThan(4), 'your'].map((word) => [shuffleKey(word), word]));

const ends = new Set([...longerThan(4), 'your'].map(endsOf));

const byOmission = new Map(longerThan(6).flatMap((word) => omissions(word).map((omission) => [omission, word])));

const byConsonants = new Map(
  longerThan(5).flatMap((word) => [
    [consonants(word), word],
    [vowelless(word), word],
  ]),
);

const reversed = new Set(longerThan(5).map((word) => [...word].reverse().join('')));

const rotated = new Set(longerThan(5).map(rotate13));

/** The word behind an obfuscated token: leet, shuffled or doubled letters, one letter or all vowels omitted. */
function deobfuscate(token: string): string | undefined {
  if (known.has(token)) return undefined;
  if (NOT_LETTERS.test(token)) {
    // Digits alone are a number; a trailing mark is usually punctuation.
    if (!HAS_LETTER.test(token)) return undefined;
    return bySkeleton.get(skeleton(token)) ?? bySkeleton.get(skeleton(token.replace(/[!|+]+$/, '')));
  }
  if (token.length < 4) return undefined;
  const shuffled = ends.has(endsOf(token)) ? byShuffle.get(shuffleKey(token)) : undefined;
  return shuffled ?? byOmission.get(token) ?? byConsonants.get(token) ?? undoubled(token);
}

const isKnownWord = (word: string): boolean => known.has(word);

/** How to read a line that contains a reversed or ROT13-encoded word. */
function readingOf(token: string): ((line: string) => string) | undefined {
  if (reversed.has(token)) return (line) => [...line].reverse().join('');
  return rotated.has(token) ? rotate13 : undefined;
}

/** Splits a run of letters into the longest known words; undefined if that fails. */
function segment(letters: string): string | undefined {
  const words: string[] = [];
  for (let at = 0; at < letters.length; ) {
    const word = longestAt(letters, at);
    if (word === undefined) return words.length > 2 ? [...words, letters.slice(at)].join(' ') : undefined;
    words.push(word);
    at += word.length;
  }
  return words.join(' ');
}

function longestAt(letters: string, at: number): string | undefined {
  for (let length = 12; length > 2; length--) {
    const word = letters.slice(at, at + length);
    if (word.length === length && known.has(word)) return word;
  }
  return undefined;
}

function longerThan(length: number): string[] {
  return WORDS.filter((word) => word.length > length);
}

function skeleton(token: string): string {
  return Array.from(token, (character) => LEET[character] ?? character).join('');
}

function endsOf(word: string): string {
  return `${word[0]}${word.at(-1)}${word.length}`;
}

/** Gives words with shuffled inner letters the same key, because people and models can still read them. */
function shuffleKey(word: string): string {
  return word[0] + [...word.slice(1, -1)].sort().join('') + word.at(-1);
}

function omissions(word: string): string[] {
  // The last letter is never omitted, because that would give the singular.
  return Array.from({ length: word.length - 2 }, (_, index) => word.slice(0, index + 1) + word.slice(index + 2));
}

function undoubled(token: string): string | undefined {
  if (!DOUBLE.test(token)) return undefined;
  const single = token.replace(/(.)\1+/g, '$1');
  return single !== token && single.length > 4 && known.has(single) ? single : undefined;
}

function consonants(word: string): string {
  return word[0] + vowelless(word.slice(1));
}

function vowelless(word: string): string {
  return word.replace(/[aeiou]/g, '');
}

function rotate13(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
}

/** A folded line with common obfuscation removed, and alternative readings of it. */
export function deobfuscateLine(folded: string): { line: string; readings: string[] } {
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
    return deobfuscate(token) ?? token;
  });
  return { line: joinSplitWords(line).replace(/\s+/g, ' '), readings: [...readings.values()] };
}

/**
 * Joins `i g n o r e a l l`: a wide gap separates words. Without wide gaps, the letters are split into known words.
 */
function joinLetters(spaced: string): string {
  const words = spaced.split(/ {2,3}| [.\-_*·•|,/] /).map((word) => word.replace(/[^a-z]/g, ''));
  const [only] = words;
  if (words.length > 1 || only === undefined) return words.join(' ');
  return segment(only) ?? (isKnownWord(only) ? only : spaced);
}

/** `instruc tions`: joins two halves that form a known word. */
function joinSplitWords(line: string): string {
  let repaired = '';
  let kept = 0;
  let before: RegExpExecArray | undefined;
  for (const match of line.matchAll(/[a-z]+/g)) {
    const gap = before === undefined ? '' : line.slice(before.index + before[0].length, match.index);
    if (before && (gap === ' ' || gap === '-') && isSplit(before[0], match[0])) {
      repaired += line.slice(kept, match.index - 1);
      kept = match.index;
    }
    before = match;
  }
  return kept === 0 ? line : repaired + line.slice(kept);
}

function isSplit(first: string, second: string): boolean {
  const length = first.length + second.length;
  return length > 5 && length < 15 && isKnownWord(first + second) && !isKnownWord(second);
}
