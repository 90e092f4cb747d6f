/** Texts that may contain a phrase of `wording-phrases.ts`. Without `phrases`, the whole file may. */
export type WordingException = { path: RegExp; phrases?: readonly string[]; reason: string };

export const EXCEPTIONS: readonly WordingException[] = [
  { path: /^test\/shape\/wording/, reason: 'lists the phrases' },
  { path: /^docs\/glossary\.md$/, phrases: ['kept code', 'stand-in', 'take back'], reason: 'lists the words to avoid' },
  { path: /^src\/scanning\/(?:classifier\/lexicon|text\/common-words)\.ts$/, reason: 'lists the words of attackers' },
  {
    path: /^(?:src\/runtime\/learned-windows(?:\.test)?\.ts|docs\/context\.md)$/,
    phrases: ['learnt'],
    reason: 'names a file that exists in home directories',
  },
  {
    path: /^(?:bench\/(?:economy|fidelity)\/|docs\/context\.md$)/,
    phrases: ['mend', 'go on with'],
    reason: 'is the text of measured sessions: another one changes the published figures',
  },
  {
    path: /^src\/context\/(?:replacement|compress\.test)\.ts$/,
    phrases: ['what stands', 'stands for'],
    reason: 'recognises a marker in stored messages',
  },
];
