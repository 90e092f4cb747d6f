/** Text folded for comparison (lower case, Latin letters without accents), with the positions in the original text. */
export type FoldedText = {
  text: string;
  /** Maps a position in the folded text to the original text. */
  origin(index: number): number;
};

const NOT_ASCII = /[^\0-\x7f]/;
const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff]/g;
const MARKS = /[\u0300-\u036f]/g;
const HAS_MARKS = /[\u0300-\u036f]/;
const BASE_AND_MARK = /^[a-z][\u0300-\u036f]$/i;

const same = (index: number) => index;

/** Folds as the index does: a single diacritic is removed, letters with two keep both. */
export function foldText(original: string): FoldedText {
  if (!NOT_ASCII.test(original)) return { text: original.toLowerCase(), origin: same };
  const folded = original.replace(ACCENTED, withoutAccent).toLowerCase();
  if (!HAS_MARKS.test(folded)) return { text: folded, origin: same };
  return withoutMarks(folded);
}

function withoutAccent(letter: string): string {
  const parts = letter.normalize('NFD');
  return BASE_AND_MARK.test(parts) ? parts.charAt(0) : letter;
}

// Removing combining marks shifts all later positions, so the original positions are recorded.
function withoutMarks(folded: string): FoldedText {
  const origins: number[] = [];
  for (let index = 0; index < folded.length; index += 1) {
    const unit = folded.charCodeAt(index);
    if (unit < 0x300 || unit > 0x36f) origins.push(index);
  }
  const end = folded.length;
  return { text: folded.replace(MARKS, ''), origin: (index) => origins[index] ?? end };
}

/**
 * Unspaced scripts: letters of scripts that do not separate words with spaces, and Korean, whose words carry
 * suffixes. Such text is searched by parts, not by whole words. Thai and Lao, Burmese, Khmer, kana, Hangul and Han.
 */
const SCRIPT =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1100-\\u11ff\\u1780-\\u17ff\\u3005-\\u3007\\u3031-\\u3035\\u3041-\\u30fa' +
  '\\u30fc-\\u318f\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff' +
  '\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}';

/** The characters that the original's index treats as part of a word, without the scripts above. */
const WORD = `[\\p{L}\\p{N}\\p{Co}\\u0300-\\u036f]--[${SCRIPT}]`;

const HAS_SCRIPT = new RegExp(`[${SCRIPT}]`, 'v');
const RUNS = new RegExp(`([${SCRIPT}]+)|[${WORD}]+`, 'gv');
const WORD_CHARACTER = new RegExp(`^[${WORD}]$`, 'v');

export type Run = { kind: 'script' | 'word'; text: string };

export function hasScript(text: string): boolean {
  return HAS_SCRIPT.test(text);
}

/** The words and the runs of unspaced script in a text; everything else is a separator. */
export function splitRuns(text: string): Run[] {
  return Array.from(text.matchAll(RUNS), ([run, script]) => ({
    kind: script === undefined ? 'word' : 'script',
    text: run,
  }));
}

/** Whether the character at this UTF-16 index is part of a word. */
export function isWordAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90);
  if (Number.isNaN(unit)) return false;
  // A low surrogate is checked together with its high surrogate.
  const start = unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
  return WORD_CHARACTER.test(String.fromCodePoint(text.codePointAt(start) ?? 0));
}
