import type { SearchTerm } from '../search-query.ts';
import { findTerm } from './find-term.ts';
import { foldText } from './text.ts';
import { makeSnippet } from './snippet.ts';

const MAX_MATCHES_SHOWN = 200;

/** The snippet of a text for these terms. */
export function showMatches(text: string, terms: readonly SearchTerm[]): string {
  const folded = foldText(text);
  const matches = terms.flatMap((term, number) =>
    findTerm(folded.text, term, MAX_MATCHES_SHOWN).map(({ start, end }) => ({
      start: folded.origin(start),
      end: folded.origin(end),
      term: number,
    })),
  );
  return makeSnippet(text, matches);
}
