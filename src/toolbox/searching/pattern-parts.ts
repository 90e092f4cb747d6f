/** A part of a pattern in both ways of writing, and how much of the model's text it was. */
export type BothWays = { rust: string; javascript: string; length: number };

export function same(text: string, length: number): BothWays {
  return { rust: text, javascript: text, length };
}

/** What ripgrep takes for part of a word, inside brackets. */
export const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';
