import type { MessageHit, MessageQuery, SessionStore } from '../../contracts/index.ts';
import { answers, findTerm } from '../search/find-term.ts';
import { foldText } from '../search/fold.ts';
import { rank } from '../search/score.ts';
import { makeSnippet } from '../search/snippet.ts';
import { parseSearchQuery, type SearchNode, type SearchTerm, wantedTerms } from '../search-query.ts';
import type { Connection } from './connection.ts';
import {
  type CandidateSource,
  candidateRanges,
  candidateSource,
  type IdRange,
  walkCandidates,
} from './search-candidates.ts';
import type { SearchIndex } from './search-index.ts';
import { planSearch } from './search-plan.ts';
import { readHit, readTexts, type TextRow } from './search-rows.ts';

type Search = Pick<SessionStore, 'searchMessages'>;

const DEFAULT_LIMIT = 20;
/** The newest so many are ranked: with a common word, older ones would hardly be what anyone looks for. */
const CANDIDATES = 500;
/** Fewer where no index helps and every text has to be compared. */
const COMPARED_CANDIDATES = 250;
const MOST_MATCHES_SHOWN = 200;
/** How many texts are compared without a pause, when the index alone cannot decide. */
const COMPARED_AT_ONCE = 128;
const RANKED_CHARACTERS = 16_384;

/** A search that has to compare very many texts ends with what it has found by then. */
const WALK_BUDGET_MS = 2_500;
const CATCH_UP_BUDGET_MS = 1_500;

export function createSearch(connection: Connection, searchIndex: SearchIndex): Search {
  return {
    async searchMessages(query) {
      const node = parseSearchQuery(query.text);
      const { offset = 0, limit = DEFAULT_LIMIT } = query;
      if (node === undefined || limit <= 0) return [];
      await searchIndex.catchUp(CATCH_UP_BUDGET_MS);
      const found = await findCandidates(connection, node, query, offset + limit);
      const terms = wantedTerms(node);
      const ranked = await connection.read(() => rank(withTexts(connection, found), terms));
      const page = ranked.slice(offset, offset + limit).map(({ id }) => id);
      return connection.read(() => readHits(connection, page, terms));
    },
  };
}

/** A message that answers the query; its text is there if it had to be looked at. */
type Candidate = { id: number; known?: TextRow };

/** The newest messages that answer the query. */
async function findCandidates(
  connection: Connection,
  node: SearchNode,
  query: MessageQuery,
  shown: number,
): Promise<Candidate[]> {
  const sources = await connection.read(() => candidateSources(connection, node, query));
  const wanted = Math.max(shown, sources.some(({ unaided }) => unaided) ? COMPARED_CANDIDATES : CANDIDATES);
  const ranges = await connection.read(() => candidateRanges(connection, query));
  const found: Candidate[] = [];
  const look = async (range: IdRange) => {
    const limit = wanted - found.length;
    const byId = new Map<number, Candidate>();
    for (const source of sources) {
      const some = source.exact
        ? (await connection.read(() => source.ids(range, limit))).map((id) => ({ id }))
        : await compare(connection, source, node, { ...range, limit });
      for (const candidate of some) byId.set(candidate.id, candidate);
    }
    found.push(...[...byId.values()].sort((a, b) => b.id - a.id).slice(0, limit));
    return found.length >= wanted;
  };
  if (sources.length > 0) await walkCandidates(ranges, look, WALK_BUDGET_MS);
  return found;
}

function candidateSources(connection: Connection, node: SearchNode, query: MessageQuery): CandidateSource[] {
  const contents = planSearch(connection, 'contents', node);
  const asked = [candidateSource(connection, query, { index: 'contents', plan: contents })];
  // Where all messages have to be compared, there is nothing that another index could add.
  if (contents.match !== 'everything') {
    const plan = planSearch(connection, 'terms', node);
    asked.push(candidateSource(connection, query, { index: 'terms', plan }));
  }
  return asked.filter((source) => source !== undefined);
}

/** Candidates whose texts answer the query, in portions, until there are enough. */
async function compare(
  connection: Connection,
  source: CandidateSource,
  node: SearchNode,
  { first, last, limit }: IdRange & { limit: number },
): Promise<Candidate[]> {
  const accepted: Candidate[] = [];
  let before = last;
  while (before >= first && accepted.length < limit) {
    const range = { first, last: before };
    const rows = await connection.read(() => source.texts(range, COMPARED_AT_ONCE));
    for (const row of rows) {
      const text = foldText(row.text).text;
      if (answers(text, node)) accepted.push({ id: row.id, known: { ...row, text: text.slice(0, RANKED_CHARACTERS) } });
    }
    if (rows.length < COMPARED_AT_ONCE) break;
    before = (rows.at(-1)?.id ?? 0) - 1;
    await new Promise(setImmediate);
  }
  return accepted;
}

/** The folded texts of candidates; those that the index alone decided on are read now, up to a length. */
function withTexts(connection: Connection, candidates: readonly Candidate[]): TextRow[] {
  const unread = candidates.filter(({ known }) => known === undefined).map(({ id }) => id);
  const read = readTexts(connection, unread, 'beginning').map((row) => ({ ...row, text: foldText(row.text).text }));
  return [...read, ...candidates.flatMap(({ known }) => known ?? [])];
}

function readHits(connection: Connection, ids: readonly number[], terms: readonly SearchTerm[]): MessageHit[] {
  return readTexts(connection, ids, 'whole')
    .map((row) => readHit(connection, row, snippetOf(row, terms)))
    .filter((hit) => hit !== undefined);
}

function snippetOf({ text }: TextRow, terms: readonly SearchTerm[]): string {
  const folded = foldText(text);
  const matches = terms.flatMap((term, number) =>
    findTerm(folded.text, term, MOST_MATCHES_SHOWN).map(({ start, end }) => ({
      start: folded.origin(start),
      end: folded.origin(end),
      term: number,
    })),
  );
  return makeSnippet(text, matches);
}
