import type { MessageHit, SessionStore } from '../../contracts/index.ts';
import { foldText } from '../search/fold.ts';
import { rank } from '../search/score.ts';
import { showMatches } from '../search/show-matches.ts';
import { wholeNumber } from '../search/whole-number.ts';
import { parseSearchQuery, type SearchTerm, wantedTerms } from '../search-query.ts';
import type { Connection } from './connection.ts';
import { type Candidate, findCandidates } from './search-find.ts';
import type { SearchIndex } from './search-index.ts';
import { readHit, readTexts, type TextRow } from './search-rows.ts';

type Search = Pick<SessionStore, 'searchMessages'>;

const DEFAULT_LIMIT = 20;

/** What is new takes a moment; a large file of the original is caught up on beside other work, newest messages first. */
const CATCH_UP_BUDGET_MS = 1_000;

export function createSearch(connection: Connection, searchIndex: SearchIndex): Search {
  return {
    async searchMessages(query) {
      const node = parseSearchQuery(query.text);
      const offset = wholeNumber(query.offset ?? 0);
      const limit = wholeNumber(query.limit ?? DEFAULT_LIMIT);
      if (node === undefined || limit === 0) return { hits: [], complete: true };
      const caughtUp = await searchIndex.catchUp(CATCH_UP_BUDGET_MS);
      searchIndex.catchUpQuietly();
      const { found, complete } = await findCandidates(connection, node, query, offset + limit);
      const terms = wantedTerms(node);
      const ranked = await connection.read(() => rank(withTexts(connection, found), terms));
      const page = ranked.slice(offset, offset + limit).map(({ id }) => id);
      const hits = await connection.read(() => readHits(connection, page, terms));
      return { hits, complete: complete && caughtUp };
    },
  };
}

/** The folded texts of candidates; those that the index alone decided on are read now, up to a length. */
function withTexts(connection: Connection, candidates: readonly Candidate[]): TextRow[] {
  const unread = candidates.filter(({ known }) => known === undefined).map(({ id }) => id);
  const read = readTexts(connection, unread, 'beginning').map((row) => ({ ...row, text: foldText(row.text).text }));
  return [...read, ...candidates.flatMap(({ known }) => known ?? [])];
}

function readHits(connection: Connection, ids: readonly number[], terms: readonly SearchTerm[]): MessageHit[] {
  return readTexts(connection, ids, 'whole')
    .map((row) => readHit(connection, row, showMatches(row.text, terms)))
    .filter((hit) => hit !== undefined);
}
