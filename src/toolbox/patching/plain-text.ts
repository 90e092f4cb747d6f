/** Characters that look alike and that models mix up. One for one, so that places stay where they are. */
const ALIKE: Readonly<Record<string, string>> = {
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

const ALIKE_CHARACTERS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'g');

/** The text with typographic quotes, dashes and blanks as plain ones. */
export function withPlainCharacters(text: string): string {
  return text.replace(ALIKE_CHARACTERS, (character) => ALIKE[character] ?? character);
}

/** A text with plain newlines, and the way back from a place in it to the place in the original. */
export type PlainView = { text: string; toOriginal(index: number): number };

export function withPlainNewlines(text: string): PlainView {
  if (!text.includes('\r\n')) return { text, toOriginal: (index) => index };
  // Where in the plain text those newlines are that lost something.
  const shortened: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) shortened.push(at - shortened.length);
  return {
    text: text.replaceAll('\r\n', '\n'),
    toOriginal: (index) => index + countBelow(shortened, index),
  };
}

/** How many of the sorted numbers are below a limit. */
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
