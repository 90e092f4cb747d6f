import type { SearchNode, SearchTerm } from '../search-query.ts';
import { asPrefixes, loosen } from './loosen.ts';
import { findNearest, type Nearest, type NearestSource } from './nearest.ts';

/** `terms` are what the snippets of the hits show. */
export type NearestHits = Nearest & { terms: readonly SearchTerm[] };

/** A hit that is shown after others with all words must have so much of their weight. */
const SHARE_AFTER_OTHERS = 0.3;

/** The messages that contain some of the words of a query, in any form, best first. */
export async function findLoosely(
  source: NearestSource,
  node: SearchNode,
  known: ReadonlySet<number>,
): Promise<NearestHits> {
  const query = loosen(node);
  const nearest = await findNearest(source, query, { known, leastShare: known.size === 0 ? 0 : SHARE_AFTER_OTHERS });
  if (nearest.ids.length > 0 || known.size > 0) return { ...nearest, terms: query.terms };
  const prefixes = asPrefixes(query);
  const found = await findNearest(source, prefixes, { known, leastShare: 0 });
  return { ids: found.ids, complete: nearest.complete && found.complete, terms: prefixes.terms };
}
