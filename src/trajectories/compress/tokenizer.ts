/** Counts tokens with a real tokenizer. */
export interface Tokenizer {
  readonly name: string;
  count(text: string): number;
  /** The start of a text with at most this many tokens. */
  cut(text: string, most: number): string;
}

/** Longer words are counted in parts, because the tokenizer takes quadratic time in the length of a word. */
const MAX_WORD_LENGTH = 256;
const LONG_RUNS = new RegExp(`\\S{${MAX_WORD_LENGTH}}(?=\\S)|\\s{${MAX_WORD_LENGTH}}(?=\\s)`, 'gu');

/** The bundled o200k tokenizer. Its table takes a quarter of a second to load, so it is loaded on demand. */
export async function openTokenizer(): Promise<Tokenizer> {
  const { countTokens } = await import('./o200k.ts');
  // Special tokens count as ordinary text here.
  const options = { disallowedSpecial: new Set<string>() };
  const count = (text: string) => {
    let [tokens, start] = [0, 0];
    for (const { 0: run, index } of text.matchAll(LONG_RUNS)) {
      tokens += countTokens(text.slice(start, index + run.length), options);
      start = index + run.length;
    }
    return tokens + countTokens(text.slice(start), options);
  };
  return {
    name: 'o200k_base',
    count,
    cut(text, most) {
      let kept = text;
      for (let tokens = count(kept); tokens > most; tokens = count(kept)) {
        kept = kept.slice(0, Math.min(kept.length - 1, Math.floor((kept.length * most) / tokens))).toWellFormed();
      }
      return kept;
    },
  };
}
