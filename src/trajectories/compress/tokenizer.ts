/** Counts tokens as a real tokenizer does. */
export interface Tokenizer {
  readonly name: string;
  count(text: string): number;
  /** The beginning of a text, of so many tokens at most. */
  cut(text: string, most: number): string;
}

/** Words longer than this are counted in pieces: the tokenizer takes the square of their length. */
const MAX_WORD_LENGTH = 256;
const LONG_RUNS = new RegExp(`\\S{${MAX_WORD_LENGTH}}(?=\\S)|\\s{${MAX_WORD_LENGTH}}(?=\\s)`, 'gu');

/** o200k, which comes with the program. Its table takes a quarter of a second to load, so it is loaded by who counts. */
export async function openTokenizer(): Promise<Tokenizer> {
  const { countTokens } = await import('./o200k.ts');
  // What looks like a mark of the model is text like any other here.
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
