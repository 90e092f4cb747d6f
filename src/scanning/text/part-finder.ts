/** Two characters that follow each other, as one of 16,384 numbers; some pairs share one. */
const PAIRS = 1 << 14;
const pairAt = (text: string, at: number) => ((text.charCodeAt(at) & 127) << 7) | (text.charCodeAt(at + 1) & 127);

/**
 * Which parts of words, divided by blanks, a text has anywhere. There are thousands of them and few are there: one pass
 * over the text notes its pairs of characters, and what has another pair need not be looked for.
 */
export function createPartFinder(text: string): (parts: string) => string[] {
  const pairs = new Uint8Array(PAIRS);
  for (let at = 0; at + 1 < text.length; at += 1) pairs[pairAt(text, at)] = 1;
  const isThere = (part: string) => {
    for (let at = 0; at + 1 < part.length; at += 1) if (pairs[pairAt(part, at)] === 0) return false;
    return text.includes(part);
  };
  // Rules about the same thing look for the same.
  const known = new Map<string, string[]>();
  return (parts) => {
    const found = known.get(parts) ?? parts.split(' ').filter(isThere);
    known.set(parts, found);
    return found;
  };
}
