import { type SearchNode, type SearchTerm, unwantedNodes, wantedTerms } from '../search-query.ts';
import { pairsOf } from './index-terms.ts';
import { likelyLanguages, withoutStopWords } from './stop-words.ts';
import { exactly, formsOf } from './word-forms.ts';

/** A query of which a message needs to match only a part. */
export type LooseQuery = {
  /** What a message may contain; the more, the better. */
  terms: SearchTerm[];
  /** What it must not contain. */
  unwanted: SearchNode[];
};

/** Also the limit for the bits of a number, in which the terms of a message are recorded. */
const MAX_TERMS = 24;
const MIN_PREFIX = 3;

/**
 * Every word of a query on its own, in all its forms and without stop words. A phrase is a term of its own in addition
 * to its words, and so is a run of unspaced script in addition to its pairs of characters.
 */
export function loosen(node: SearchNode): LooseQuery {
  const wanted = wantedTerms(node);
  const words = wanted.flatMap(({ parts, prefix }) =>
    parts.filter(({ kind }, index) => kind === 'word' && !(prefix && index === parts.length - 1)),
  );
  const folded = [...new Set(words.map((part) => part.folded))];
  const languages = likelyLanguages(folded);
  const whole = wanted.filter(({ parts, prefix }) => prefix || parts.length > 1 || parts[0]?.kind === 'script');
  const single = withoutStopWords(folded).map((word) => formsOf(word, languages));
  const pairs = wanted.flatMap(({ parts }) => parts.flatMap(scriptPairs));
  return { terms: [...single, ...whole, ...pairs].slice(0, MAX_TERMS), unwanted: unwantedNodes(node) };
}

/** Every word of a query as a prefix, and its stem, too, for when not even one of its forms occurs. */
export function asPrefixes({ terms, unwanted }: LooseQuery): LooseQuery {
  const words = terms.flatMap(
    ({ parts, forms }) => forms?.of ?? (parts.length === 1 ? parts : []).map((p) => p.folded),
  );
  const stems = terms.flatMap(({ parts, forms }) => (forms === undefined ? [] : parts.map((part) => part.folded)));
  const beginnings = [
    ...words.filter((word) => word.length >= MIN_PREFIX),
    ...stems.filter((stem) => stem.length > MIN_PREFIX),
  ];
  const prefixes = [...new Set(beginnings)].slice(0, MAX_TERMS);
  return { terms: prefixes.map((word) => ({ ...exactly(word), prefix: true })), unwanted };
}

function scriptPairs({ kind, folded }: SearchTerm['parts'][number]): SearchTerm[] {
  const pairs = kind === 'script' ? pairsOf(folded) : [];
  if (pairs.length < 2) return [];
  return [...new Set(pairs)].map((pair) => ({ parts: [{ kind: 'script', text: pair, folded: pair }], prefix: false }));
}
