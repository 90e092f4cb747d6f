/** Lone UTF-16 surrogates become U+FFFD: they have no UTF-8 form, and JSON made of them is refused. */
export function cleanSurrogates(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** How many characters at the end of a text could be the beginning of a word whose rest is still to come. */
export function beginningAtEnd(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(word.slice(0, length))) return length;
  }
  return 0;
}

/** Text as one word of a POSIX shell, whatever is in it. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Several pairs of braces multiply; what would grow beyond this stays as it is. */
const MAX_CHARACTERS = 1_000_000;

/** The texts that braces stand for: `{a,b}/c` is a/c and b/c, each pair in turn. Braces without a comma are text. */
export function expandBraces(text: string): string[] {
  let texts = [text];
  for (;;) {
    const expanded = texts.flatMap(expandFirst);
    const size = expanded.reduce((sum, { length }) => sum + length, 0);
    if (expanded.length === texts.length || size > MAX_CHARACTERS) return texts;
    texts = expanded;
  }
}

/** One pair, the first that has no other inside it. */
function expandFirst(text: string): string[] {
  let start = -1;
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{') start = index;
    else if (start >= 0) {
      const choices = text.slice(start + 1, index).split(',');
      if (choices.length > 1) return choices.map((choice) => text.slice(0, start) + choice + text.slice(index + 1));
      start = -1;
    }
  }
  return [text];
}

/**
 * A number of 32 bits for a text, to choose a place for it. Quick, and without loading anything; two texts may well have
 * the same, so what lies in the place has to say which it is of.
 */
export function textSum(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0;
  return sum;
}
