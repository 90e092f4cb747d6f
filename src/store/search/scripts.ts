/**
 * Letters of scripts that are written without spaces between words, and Korean, whose words carry their endings: a
 * search looks for parts of such text, not for whole words. Thai and Lao, Burmese, Khmer, kana, Hangul and Han.
 */
const SCRIPT =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1100-\\u11ff\\u1780-\\u17ff\\u3005-\\u3007\\u3031-\\u3035\\u3041-\\u30fa' +
  '\\u30fc-\\u318f\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff' +
  '\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}';

/** What the seed's index takes as part of a word, without the scripts above. */
const WORD = `[\\p{L}\\p{N}\\p{Co}\\u0300-\\u036f]--[${SCRIPT}]`;

const HAS_SCRIPT = new RegExp(`[${SCRIPT}]`, 'v');
const RUNS = new RegExp(`([${SCRIPT}]+)|[${WORD}]+`, 'gv');
const WORD_CHARACTER = new RegExp(`^[${WORD}]$`, 'v');

export type Run = { kind: 'script' | 'word'; text: string };

export function hasScript(text: string): boolean {
  return HAS_SCRIPT.test(text);
}

/** The words and the runs of script in a text; everything else only separates them. */
export function splitRuns(text: string): Run[] {
  return Array.from(text.matchAll(RUNS), ([run, script]) => ({
    kind: script === undefined ? 'word' : 'script',
    text: run,
  }));
}

/** Whether a word goes on at this place of a text, counted in UTF-16 units. */
export function isWordAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90);
  if (Number.isNaN(unit)) return false;
  // The second half of a pair is looked at together with the first.
  const start = unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : index;
  return WORD_CHARACTER.test(String.fromCodePoint(text.codePointAt(start) ?? 0));
}
