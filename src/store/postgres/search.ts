import type { MessageHit, MessageQuery, SessionStore } from '../../contracts/index.ts';
import type { Database } from '../database.ts';
import { parseSearchQuery, type SearchNode, type SearchTerm, wantedTerms, wantsNearest } from '../search-query.ts';
import { matchesQuery } from '../search/find-term.ts';
import { foldText } from '../search/text.ts';
import { rank, type Ranked, clampCount } from '../search/score.ts';
import { showMatches } from '../search/show-matches.ts';
import { readHits, readPortion, type TextRow } from './search-rows.ts';

type Search = Pick<SessionStore, 'searchMessages'>;

const DEFAULT_LIMIT = 20;
/** The number of newest matches that are ranked: for a common word, older ones are hardly what anyone looks for. */
const CANDIDATES = 500;
const PORTION = 250;
const RANKED_CHARACTERS = 16_384;
/** Time limit for comparing texts; the search then returns what it has found so far. */
const BUDGET_MS = 2_500;

export function createSearch(database: Database): Search {
  return {
    async searchMessages(query) {
      const node = parseSearchQuery(query.text);
      const offset = clampCount(query.offset ?? 0);
      const limit = clampCount(query.limit ?? DEFAULT_LIMIT);
      if (node === undefined || limit === 0) return { hits: [], complete: true };
      const { found, complete } = await findCandidates(database, node, query, offset + limit);
      const terms = wantedTerms(node);
      const ranked = rank(found, terms).map(({ id }) => id);
      const hits = await showHits(database, ranked.slice(offset, offset + limit), { terms, partial: false });
      if (query.allWords || !wantsNearest(node, ranked.length, offset + limit)) return { hits, complete };
      const { searchNearest } = await import('./search-nearest.ts');
      const nearest = await searchNearest(database, node, query, new Set(ranked));
      const rest = nearest.ids.slice(Math.max(0, offset - ranked.length)).slice(0, limit - hits.length);
      const partial = await showHits(database, rest, { terms: nearest.terms, partial: true });
      return { hits: [...hits, ...partial], complete: complete && nearest.complete };
    },
  };
}

async function showHits(
  database: Database,
  ids: readonly number[],
  { terms, partial }: { terms: readonly SearchTerm[]; partial: boolean },
): Promise<MessageHit[]> {
  if (ids.length === 0) return [];
  const hits = await database.read((db) => readHits(db, ids));
  return hits.map(({ text, hit }) => ({ ...hit, partial, snippet: showMatches(text, terms) }));
}

/** The newest messages that match the query, newest first, read in portions until there are enough. */
async function findCandidates(
  database: Database,
  node: SearchNode,
  query: MessageQuery,
  shown: number,
): Promise<{ found: Ranked[]; complete: boolean }> {
  const wanted = Math.max(shown, CANDIDATES);
  const deadline = performance.now() + BUDGET_MS;
  const found: Ranked[] = [];
  let before: number | null = null;
  while (found.length < wanted) {
    const rows: TextRow[] = await database.read((db) => readPortion(db, node, query, { before, limit: PORTION }));
    for (const row of rows) {
      const text = foldText(row.text).text;
      if (matchesQuery(text, node)) found.push({ ...row, text: text.slice(0, RANKED_CHARACTERS) });
    }
    if (rows.length < PORTION) return { found, complete: true };
    before = rows.at(-1)?.id ?? 0;
    if (performance.now() >= deadline) return { found, complete: false };
    // Yields to the event loop between portions.
    await new Promise(setImmediate);
  }
  return { found: found.slice(0, wanted), complete: true };
}
