/**
 * Typographic characters that models confuse with plain ones. Each maps to one character, so that offsets stay valid.
 */
const TYPOGRAPHIC_CHARACTERS: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201A': "'",
  '\u201B': "'",
  '\u201C': '"',
  '\u201D': '"',
  '\u201E': '"',
  '\u201F': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2015': '-',
  '\u2212': '-',
  '\u00A0': ' ',
  '\u2007': ' ',
  '\u2009': ' ',
  '\u202F': ' ',
  '\u3000': ' ',
};

const ALIKE_CHARACTERS = new RegExp(`[${Object.keys(TYPOGRAPHIC_CHARACTERS).join('')}]`, 'g');

/** Replaces typographic quotes, dashes and spaces with plain ones. */
export function withPlainCharacters(text: string): string {
  return text.replace(ALIKE_CHARACTERS, (character) => TYPOGRAPHIC_CHARACTERS[character] ?? character);
}

/** A text with LF line endings, and the mapping of its offsets to the original. */
export type PlainView = { text: string; toOriginal(index: number): number };

export function withPlainNewlines(text: string): PlainView {
  if (!text.includes('\r\n')) return { text, toOriginal: (index) => index };
  // Offsets in the converted text of newlines that were CRLF.
  const shortened: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) shortened.push(at - shortened.length);
  return {
    text: text.replaceAll('\r\n', '\n'),
    toOriginal: (index) => index + countBelow(shortened, index),
  };
}

/** Binary search: how many of the sorted numbers are below a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
