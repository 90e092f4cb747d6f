import type { MessageHit, MessageQuery, SessionStore } from '../../contracts/index.ts';
import { parseSearchQuery, type SearchNode, type SearchTerm, wantedTerms, wantsNearest } from '../search-query.ts';
import { matchesQuery } from '../search/find-term.ts';
import { rank, clampCount } from '../search/score.ts';
import { showMatches } from '../search/show-matches.ts';
import { foldText } from '../search/text.ts';
import type { Connection } from './connection.ts';
import {
  candidateRanges,
  type CandidateSource,
  candidateSource,
  type IdRange,
  LONG_MS,
  scanCandidates,
} from './search-candidates.ts';
import type { SearchIndex } from './search-index.ts';
import { planSearch } from './search-plan.ts';
import { readHit, readTexts, type TextRow } from './search-rows.ts';

type Search = Pick<SessionStore, 'searchMessages'>;

const DEFAULT_LIMIT = 20;

/**
 * How long a search waits for the index to catch up. That is enough for new messages; a large file of the original is
 * indexed in the background, newest messages first.
 */
const CATCH_UP_BUDGET_MS = 1_000;

export function createSearch(connection: Connection, searchIndex: SearchIndex): Search {
  return {
    async searchMessages(query) {
      const node = parseSearchQuery(query.text);
      const offset = clampCount(query.offset ?? 0);
      const limit = clampCount(query.limit ?? DEFAULT_LIMIT);
      if (node === undefined || limit === 0) return { hits: [], complete: true };
      const caughtUp = await searchIndex.catchUp(CATCH_UP_BUDGET_MS);
      searchIndex.catchUpInBackground();
      const { found, complete } = await findCandidates(connection, node, query, offset + limit);
      const terms = wantedTerms(node);
      const ranked = await connection.read(() => rank(withTexts(connection, found), terms));
      const page = ranked.slice(offset, offset + limit).map(({ id }) => id);
      const hits = await connection.read(() => readHits(connection, page, terms));
      const exact = { hits, complete: complete && caughtUp };
      if (query.allWords || !wantsNearest(node, ranked.length, offset + limit)) return exact;
      const { searchNearest } = await import('./search-nearest.ts');
      const nearest = await searchNearest(connection, node, query, new Set(ranked.map(({ id }) => id)));
      const rest = nearest.ids.slice(Math.max(0, offset - ranked.length)).slice(0, limit - hits.length);
      const partial = await connection.read(() => readHits(connection, rest, nearest.terms, { partial: true }));
      return { hits: [...hits, ...partial], complete: exact.complete && nearest.complete };
    },
  };
}

/** Adds folded texts to the candidates. Only candidates that were not compared yet are read, up to a maximum length. */
function withTexts(connection: Connection, candidates: readonly Candidate[]): TextRow[] {
  const unread = candidates.filter(({ known }) => known === undefined).map(({ id }) => id);
  const read = readTexts(connection, unread, 'beginning').map((row) => ({ ...row, text: foldText(row.text).text }));
  return [...read, ...candidates.flatMap(({ known }) => known ?? [])];
}

function readHits(
  connection: Connection,
  ids: readonly number[],
  terms: readonly SearchTerm[],
  { partial = false } = {},
): MessageHit[] {
  return readTexts(connection, ids, 'whole')
    .map((row) => readHit(connection, row, showMatches(row.text, terms)))
    .flatMap((hit) => (hit === undefined ? [] : [{ ...hit, partial }]));
}

/** The number of newest matches that are ranked: for a common word, older ones are hardly what anyone looks for. */
const CANDIDATES = 500;
/** The number of matches that are ranked if no index can be used and every text must be compared. */
const COMPARED_CANDIDATES = 250;
const FEW_RANGES = 3;
/** The number of texts that are compared without a pause if the index is not exact. */
const COMPARED_AT_ONCE = 128;
const RANKED_CHARACTERS = 16_384;
/** Time limit for comparing texts; the search then returns what it has found so far. */
const WALK_BUDGET_MS = 2_500;

/** A message that matches the query; it has its text if the text had to be compared. */
export type Candidate = { id: number; known?: TextRow };

/** `complete` is false if the time limit was reached before everything was compared. */
export type Candidates = { found: Candidate[]; complete: boolean };

/** The newest messages that match the query. */
export async function findCandidates(
  connection: Connection,
  node: SearchNode,
  query: MessageQuery,
  shown: number,
): Promise<Candidates> {
  const sources = await connection.read(() => candidateSources(connection, node, query));
  const wanted = Math.max(shown, sources.some(({ isFullScan }) => isFullScan) ? COMPARED_CANDIDATES : CANDIDATES);
  const ranges = await connection.read(() => candidateRanges(connection, query));
  const deadline = performance.now() + WALK_BUDGET_MS;
  const found: Candidate[] = [];
  let comparedAll = true;
  const look = async (range: IdRange) => {
    const limit = wanted - found.length;
    const byId = new Map<number, Candidate>();
    for (const source of sources) {
      const some = source.exact
        ? { found: (await connection.read(() => source.ids(range, limit))).map((id) => ({ id })), complete: true }
        : await compare(connection, source, node, { ...range, limit, deadline });
      for (const candidate of some.found) byId.set(candidate.id, candidate);
      comparedAll &&= some.complete;
    }
    found.push(...[...byId.values()].sort((a, b) => b.id - a.id).slice(0, limit));
    return found.length >= wanted;
  };
  // A few matches need no windows: many empty ones would take longer than all matches together. Ranges of sessions are
  // short, so that looking is not worth it.
  const isFew = await connection.read(
    () => ranges.length <= FEW_RANGES && !sources.some((source) => source.hasAtLeast(CANDIDATES, ranges)),
  );
  const window = isFew ? Number.MAX_SAFE_INTEGER : undefined;
  const walkedAll = sources.length === 0 || (await scanCandidates(ranges, look, deadline, window));
  return { found, complete: walkedAll && comparedAll };
}

function candidateSources(connection: Connection, node: SearchNode, query: MessageQuery): CandidateSource[] {
  const contents = planSearch(connection, 'contents', node);
  const asked = [candidateSource(connection, query, { index: 'contents', plan: contents })];
  // If all messages must be compared, another index cannot add anything.
  if (contents.match !== 'everything') {
    const plan = planSearch(connection, 'terms', node);
    asked.push(candidateSource(connection, query, { index: 'terms', plan }));
  }
  return asked.filter((source) => source !== undefined);
}

/** Candidates whose texts match the query, in portions, until there are enough. */
async function compare(
  connection: Connection,
  source: CandidateSource,
  node: SearchNode,
  { first, last, limit, deadline }: IdRange & { limit: number; deadline: number },
): Promise<Candidates> {
  const accepted: Candidate[] = [];
  let [before, portion] = [last, COMPARED_AT_ONCE];
  while (before >= first && accepted.length < limit) {
    if (performance.now() >= deadline) return { found: accepted, complete: false };
    const started = performance.now();
    const range = { first, last: before };
    const rows = await connection.read(() => source.texts(range, portion));
    for (const row of rows) {
      const text = foldText(row.text).text;
      if (matchesQuery(text, node))
        accepted.push({ id: row.id, known: { ...row, text: text.slice(0, RANKED_CHARACTERS) } });
    }
    if (rows.length < portion) break;
    before = (rows.at(-1)?.id ?? 0) - 1;
    // Long texts take long, so fewer are compared at a time.
    if (performance.now() - started > LONG_MS) portion = Math.max(1, Math.floor(portion / 4));
    await new Promise(setImmediate);
  }
  return { found: accepted, complete: true };
}
