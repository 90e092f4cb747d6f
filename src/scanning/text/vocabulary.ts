import { COMMON_WORDS } from './common-words.ts';

/** The key words of attacks, which attackers therefore obfuscate. */
const WORDS =
  `ignore disregard forget override bypass obey disobey discard neglect all any every everything previous prior preceding
  above earlier instruction instructions prompt prompts directive directives guideline guidelines rules system message
  developer assistant restrictions constraints safeguards training programming context before following follow reveal
  secret secrets password passwords credentials credential token tokens send upload execute print repeat the your you
  are now from and user tell without telling without unrestricted jailbreak hidden keys private environment variables
  safety policies policy commands new real pretend original initial`
    .split(/\s+/)
    .filter(Boolean);
/** Frequent words of attacks that are too ordinary to be looked for in words with missing or shuffled letters. */
const MORE_WORDS =
  `this that these those with without into onto about then than when have has had been will would should must always never
  again next only just file files folder content contents rule rules memory memories session sessions apply save store
  append paragraph project projects agents agent hide changes change reviewer command every approve approved approval
  permission confirm confirmation already checks check disabled disable enable server servers upload download fetch
  telling anyone nobody somebody private public data database history account admin administrator access allow allowed
  unlimited mode update config configuration settings install package packages script scripts anything nothing there here
  what which whatever where who whom how their them they our out not for can may does did done make made take use used
  want wants need needs give given show write read run runs open close delete remove add added insert include keep quiet
  silent silently quietly hidden secretly after response reply answer summary report notify inform mention warn alert
  steal copy paste forward email attacker webhook address network remote control execute order orders task tasks
  conversation chat history knowledge future forever permanent permanently owner operator human person people team
  restrictions limits free anyone trusted trust`
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
// A quick test: two single letters in a row.
const SPACED_START = /[ .\-_*·•|,/][a-z][ .\-_*·•|,/]{1,3}[a-z](?![a-z0-9])/;
// Emphasis markers and tags inside a word, which a rendered page does not show.
const INSIDE_WORD = /(?<=[a-z])(?:\*{1,3}|~~|<\/?(?:b|i|u|em|strong|span|wbr|font)>|<!-{2,3}>)+(?=[a-z])/g;
const LOOKS = /<\/?(?:b|i|u|em|strong|span|font|mark|big|small)(?: [^<>]{0,200})?>/g;
// A variable such as `$AWS_SECRET_ACCESS_KEY` keeps its name.
const CHAINED = /(?<![a-z]|[${%.'"_-])[a-z]{1,24}(?:[_-][a-z]{1,24}){3,}/g;
const TOKEN = /[a-z0-9@$!|+€]{3,24}/g;
const LEET_TOKEN = /[a-z0-9@$]{2,24}/g;

const known = new Set(WORDS);

const readable = new Set([...WORDS, ...MORE_WORDS]);

const common = new Set([...readable, ...COMMON_WORDS, 'a', 'i']);

const longestCommon = Math.max(...[...common].map(({ length }) => length));

/** Used only in lines with several such words, because names such as `h3ll0` are ordinary. */
const byCommonSkeleton = new Map([...common].filter(({ length }) => length > 1).map((word) => [skeleton(word), word]));

const MIN_LEET_WORDS = 3;

const bySkeleton = new Map([...MORE_WORDS, ...WORDS].map((word) => [skeleton(word), word]));

/** Words by their letters without repetition: `commannd` and `command` have the same. */
const byCollapsed = new Map(
  [...MORE_WORDS, ...WORDS].filter((word) => word.length > 3).map((word) => [collapse(word), word]),
);

const byShuffle = new Map([...longerThan(4), 'your'].map((word) => [shuffleKey(word), word]));

const ends = new Set([...longerThan(4), 'your'].map(endsOf));

const byOmission = new Map(longerThan(6).flatMap((word) => omissions(word).map((omission) => [omission, word])));

const byConsonants = new Map(
  longerThan(5).flatMap((word) => [
    [consonants(word), word],
    [vowelless(word), word],
  ]),
);

/** The first halves of known words. */
const prefixes = new Set(
  longerThan(5).flatMap((word) => Array.from({ length: word.length - 1 }, (_, end) => word.slice(0, end + 1))),
);

const reversed = new Set(
  [...longerThan(5), ...MORE_WORDS.filter((word) => word.length > 6)].map((word) => [...word].reverse().join('')),
);

const rotated = new Set([...longerThan(5), ...MORE_WORDS.filter((word) => word.length > 6)].map(rotate13));

/** The word behind an obfuscated token: leet, shuffled or doubled letters, one letter or all vowels omitted. */
function deobfuscate(token: string): string | undefined {
  if (known.has(token)) return undefined;
  if (NOT_LETTERS.test(token)) {
    // Digits alone are a number; a trailing mark is usually punctuation.
    if (!HAS_LETTER.test(token)) return undefined;
    return bySkeleton.get(skeleton(token)) ?? bySkeleton.get(skeleton(token.replace(/[!|+]+$/, '')));
  }
  if (token.length < 4 || readable.has(token)) return undefined;
  const shuffled = ends.has(endsOf(token)) ? byShuffle.get(shuffleKey(token)) : undefined;
  return shuffled ?? byOmission.get(token) ?? byConsonants.get(token) ?? undoubled(token);
}

const isKnownWord = (word: string): boolean => known.has(word);

/** How to read a line that contains a reversed or ROT13-encoded word. */
function readingOf(token: string): ((line: string) => string) | undefined {
  if (reversed.has(token)) return (line) => [...line].reverse().join('');
  return rotated.has(token) ? rotate13 : undefined;
}

/** The costs of a word and of a letter that is not part of one, so that the fewest words are found. */
const WORD_COST = 1;
const LETTER_COST = 1.5;
const MAX_UNKNOWN_SHARE = 0.25;

/** Splits a run of letters into words, as few as possible; undefined if much of it is not part of a word. */
function splitIntoWords(letters: string): string | undefined {
  const costs = new Float64Array(letters.length + 1);
  const lengths = new Int8Array(letters.length + 1);
  for (let end = 1; end <= letters.length; end++) {
    costs[end] = (costs[end - 1] as number) + LETTER_COST;
    for (let length = Math.min(end, longestCommon); length > 0; length--) {
      const cost = (costs[end - length] as number) + WORD_COST;
      if (cost >= (costs[end] as number) || !common.has(letters.slice(end - length, end))) continue;
      costs[end] = cost;
      lengths[end] = length;
    }
  }
  const words: string[] = [];
  let unknown = 0;
  for (let end = letters.length; end > 0; ) {
    const length = lengths[end] as number;
    if (length === 0) unknown++;
    const start = end - Math.max(length, 1);
    words.push(letters.slice(start, end));
    end = start;
  }
  return unknown > letters.length * MAX_UNKNOWN_SHARE ? undefined : words.reverse().join(' ');
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
  return readable.has(token) ? undefined : byCollapsed.get(collapse(token));
}

function collapse(word: string): string {
  return word.replace(/(.)\1+/g, '$1');
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

/** Undoes obfuscation line by line, and remembers the words that it has seen: most words occur more than once. */
export type Deobfuscator = (folded: string) => { line: string; readings: string[] };

/** How to read a token: as another word, or as a sign of how to read its whole line. */
type TokenReading = {
  word: string | undefined;
  /** Whether it is a word if digits stand for letters. */
  isLeet: boolean;
  read: ((line: string) => string) | undefined;
};

const UNCHANGED: TokenReading = { word: undefined, isLeet: false, read: undefined };
const WIDE_SPACE = /\s\s|[\t\n\u00a0]/;

export function createDeobfuscator(): Deobfuscator {
  const seenTokens = new Map<string, TokenReading>();
  const readingOfToken = (token: string): TokenReading => {
    const seen = seenTokens.get(token);
    if (seen !== undefined) return seen;
    const word = deobfuscate(token);
    const read = readingOf(token);
    const isLeet = NOT_LETTERS.test(token) && HAS_LETTER.test(token) && byCommonSkeleton.has(skeleton(token));
    const isOrdinary = word === undefined && read === undefined && !isLeet;
    const reading = isOrdinary ? UNCHANGED : { word, isLeet, read };
    seenTokens.set(token, reading);
    return reading;
  };
  return (folded) => {
    const joined = joinMarkup(folded);
    let readings: Map<(line: string) => string, string> | undefined;
    let isObfuscated = false;
    let leetWords = 0;
    for (const token of joined.match(TOKEN) ?? []) {
      const { word, isLeet, read } = readingOfToken(token);
      if (read !== undefined && (readings ??= new Map()).size < 2) readings.set(read, read(joined));
      if (word !== undefined) isObfuscated = true;
      if (isLeet) leetWords++;
    }
    const plain = leetWords < MIN_LEET_WORDS ? joined : joined.replace(LEET_TOKEN, readLeet);
    let line = isObfuscated ? plain.replace(TOKEN, (token) => readingOfToken(token).word ?? token) : plain;
    line = joinSplitWords(line);
    if (WIDE_SPACE.test(line)) line = line.replace(/\s+/g, ' ');
    return { line, readings: readings === undefined ? [] : [...readings.values()] };
  };
}

/** A word with digits for letters, in a line that has several. */
function readLeet(token: string): string {
  if (!NOT_LETTERS.test(token)) return token;
  const word = byCommonSkeleton.get(skeleton(token));
  if (word !== undefined || !HAS_LETTER.test(token)) return word ?? token;
  return token.replace(/[^a-z]/g, (character) => LEET[character] ?? character);
}

/** Joins letters and words that are separated by spaces, marks or tags. */
function joinMarkup(folded: string): string {
  let line = SPACED_START.test(folded) ? folded.replace(SPACED, joinLetters) : folded;
  if (line.includes('*') || line.includes('~') || line.includes('<'))
    line = line.replace(INSIDE_WORD, '').replace(LOOKS, ' ');
  return line.includes('_') || line.includes('-')
    ? line.replace(CHAINED, (chain) => chain.replace(/[_-]/g, ' '))
    : line;
}

/**
 * Joins `i g n o r e a l l`: a wide gap separates words, and so does a space if other marks separate the letters.
 * Otherwise the letters are split into known words.
 */
function joinLetters(spaced: string): string {
  const marks = spaced.match(/(?<=[a-z])[.\-_*·•|,/](?=[a-z])/g)?.length ?? 0;
  const gap = marks > spaced.length / 4 ? /[ ]+/ : / {2,3}| [.\-_*·•|,/] /;
  const words = spaced.split(gap).map((word) => word.replace(/[^a-z]/g, ''));
  const [only] = words;
  if (words.length > 1 || only === undefined)
    return words.map((word) => (word.length > longestCommon ? (splitIntoWords(word) ?? word) : word)).join(' ');
  return splitIntoWords(only) ?? (isKnownWord(only) ? only : spaced);
}

/** `instruc tions`: joins two halves that form a known word. */
function joinSplitWords(line: string): string {
  let repaired = '';
  let kept = 0;
  let start = -1;
  let before = '';
  let end = -1;
  for (let at = 0; at <= line.length; at++) {
    const code = at < line.length ? line.charCodeAt(at) : 0;
    if (code >= 97 && code <= 122) {
      if (start < 0) start = at;
      continue;
    }
    if (start < 0) continue;
    const isNext = end === start - 1 && prefixes.has(before) && (line[end] === ' ' || line[end] === '-');
    const word = line.slice(start, at);
    if (isNext && isSplit(before, word)) {
      repaired += line.slice(kept, start - 1);
      kept = start;
    }
    before = word;
    end = at;
    start = -1;
  }
  return kept === 0 ? line : repaired + line.slice(kept);
}

function isSplit(first: string, second: string): boolean {
  const length = first.length + second.length;
  return length > 5 && length < 15 && isKnownWord(first + second) && !isKnownWord(second);
}
