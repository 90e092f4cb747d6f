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
