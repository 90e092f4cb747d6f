import type { SearchTerm } from '../search-query.ts';
import { foldText, splitRuns } from './text.ts';

const MAX_WORD_LENGTH = 64;
const MAX_TERMS = 20_000;

/**
 * The terms under which a text is stored in our own index: its words and, of each run of unspaced script, every
 * character and every pair of adjacent characters. Each occurs once, because the index only records which messages
 * contain a term.
 */
export function indexTerms(text: string, terms = new Set<string>()): Set<string> {
  for (const run of splitRuns(foldText(text).text)) {
    if (terms.size >= MAX_TERMS) break;
    if (run.kind === 'word') {
      terms.add(run.text.slice(0, MAX_WORD_LENGTH));
      continue;
    }
    for (const character of run.text) terms.add(character);
    for (const pair of pairsOf(run.text)) terms.add(pair);
  }
  return terms;
}

/**
 * The terms that a message must contain to match a search term. If there are several, a message may contain all of
 * them and still not match, because the index stores no order. A word prefix is not included.
 */
export function requiredTerms({ parts, prefix }: SearchTerm): string[] {
  const exact = prefix ? parts.slice(0, -1) : parts;
  return exact.flatMap(({ kind, folded }) => {
    if (kind === 'word') return [folded.slice(0, MAX_WORD_LENGTH)];
    const pairs = pairsOf(folded);
    return pairs.length === 0 ? [folded] : pairs;
  });
}

/** The parts of a tool name, as a search term would contain them. */
export function toolKey(name: string): string {
  const parts = splitRuns(foldText(name).text.slice(0, MAX_WORD_LENGTH));
  return parts.map(({ text }) => text).join(' ');
}

export function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
