import type { MessageHit, MessageQuery, SessionStore } from '../../contracts/index.ts';
import type { Database } from '../database.ts';
import { parseSearchQuery, type SearchNode, wantedTerms } from '../search-query.ts';
import { answers } from '../search/find-term.ts';
import { foldText } from '../search/text.ts';
import { rank, type Ranked, wholeNumber } from '../search/score.ts';
import { showMatches } from '../search/show-matches.ts';
import { readHits, readPortion, type TextRow } from './search-rows.ts';

type Search = Pick<SessionStore, 'searchMessages'>;

const DEFAULT_LIMIT = 20;
/** The newest so many are ranked: with a common word, older ones would hardly be what anyone looks for. */
const CANDIDATES = 500;
const PORTION = 250;
const RANKED_CHARACTERS = 16_384;
/** A search that has to compare very many texts ends with what it has found by then. */
const BUDGET_MS = 2_500;

export function createSearch(database: Database): Search {
  return {
    async searchMessages(query) {
      const node = parseSearchQuery(query.text);
      const offset = wholeNumber(query.offset ?? 0);
      const limit = wholeNumber(query.limit ?? DEFAULT_LIMIT);
      if (node === undefined || limit === 0) return { hits: [], complete: true };
      const { found, complete } = await findCandidates(database, node, query, offset + limit);
      const terms = wantedTerms(node);
      const page = rank(found, terms).slice(offset, offset + limit);
      const hits = await database.read((db) =>
        readHits(
          db,
          page.map(({ id }) => id),
        ),
      );
      return {
        hits: hits.map(({ text, hit }): MessageHit => ({ ...hit, snippet: showMatches(text, terms) })),
        complete,
      };
    },
  };
}

/** The newest messages that answer the query, newest first, in portions until there are enough. */
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
      if (answers(text, node)) found.push({ ...row, text: text.slice(0, RANKED_CHARACTERS) });
    }
    if (rows.length < PORTION) return { found, complete: true };
    before = rows.at(-1)?.id ?? 0;
    if (performance.now() >= deadline) return { found, complete: false };
    // Texts are compared between answers of the server; what else the process does goes on meanwhile.
    await new Promise(setImmediate);
  }
  return { found: found.slice(0, wanted), complete: true };
}
