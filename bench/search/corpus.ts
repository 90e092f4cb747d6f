/** Deterministic text with the word statistics of a language: few words are common, most are rare. */
export type Corpus = {
  /** Words from the most common to the rarest. */
  words: readonly string[];
  chineseWords: readonly string[];
  english(words: number): string;
  chinese(words: number): string;
  random(): number;
};

const WORDS = 40_000;
const CHINESE_WORDS = 20_000;
const ONSETS = 't s c p m b d r f l n h g w st pr con tr re de in un pl ch sh br k v gr ex j qu'.split(' ');
const VOWELS = 'e a i o u ea ou io ai ee'.split(' ');
const CODAS = 'n r s t l d m ng nt ck st ss nd p'.split(' ');
const FIRST_HAN = 0x4e00;
const HAN_IN_USE = 3_500;

export function createCorpus(seed = 1): Corpus {
  const random = createRandom(seed);
  const words = distinct(WORDS, () => englishWord(random));
  const chineseWords = distinct(CHINESE_WORDS, () => chineseWord(random));
  const [pickWord, pickChinese] = [createPicker(words, random), createPicker(chineseWords, random)];
  return {
    words,
    chineseWords,
    random,
    english: (count) => Array.from({ length: count }, (_, index) => punctuate(pickWord(), index, ' ', '. ')).join(''),
    chinese: (count) => Array.from({ length: count }, (_, index) => punctuate(pickChinese(), index, '', '，')).join(''),
  };
}

function punctuate(word: string, index: number, gap: string, stop: string): string {
  return `${word}${index % 11 === 10 ? stop : gap}`;
}

// Mulberry32: small, fast, and the same everywhere.
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function distinct(count: number, make: () => string): string[] {
  const made = new Set<string>();
  while (made.size < count) made.add(make());
  return [...made];
}

/** Low indexes are more frequent, like the letters of a language. */
function skewed<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() ** 2 * list.length)] as T;
}

function englishWord(random: () => number): string {
  const syllables = 1 + Math.floor(random() * 3.2);
  const parts = Array.from({ length: syllables }, () => skewed(ONSETS, random) + skewed(VOWELS, random));
  return parts.join('') + (random() < 0.7 ? skewed(CODAS, random) : '');
}

function chineseWord(random: () => number): string {
  const length = random() < 0.15 ? 1 : random() < 0.8 ? 2 : 3;
  const character = () => String.fromCharCode(FIRST_HAN + Math.floor(random() ** 2 * HAN_IN_USE));
  return Array.from({ length }, character).join('');
}

/** The nth word is about 1/n as frequent as the first. */
function createPicker(words: readonly string[], random: () => number): () => string {
  const table = new Uint16Array(1 << 21);
  const total = words.reduce((sum, _, index) => sum + 1 / (index + 2.7), 0);
  let [filled, share] = [0, 0];
  for (const index of words.keys()) {
    share += 1 / (index + 2.7) / total;
    const end = Math.round(share * table.length);
    table.fill(index, filled, end);
    filled = end;
  }
  return () => words[table[Math.floor(random() * table.length)] ?? 0] ?? '';
}
