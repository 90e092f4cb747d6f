import type { MessageQuery } from '../../contracts/index.ts';
import { answers } from '../search/find-term.ts';
import { foldText } from '../search/fold.ts';
import type { SearchNode } from '../search-query.ts';
import type { Connection } from './connection.ts';
import {
  type CandidateSource,
  candidateRanges,
  candidateSource,
  type IdRange,
  LONG_MS,
  walkCandidates,
} from './search-candidates.ts';
import { planSearch } from './search-plan.ts';
import type { TextRow } from './search-rows.ts';

/** The newest so many are ranked: with a common word, older ones would hardly be what anyone looks for. */
const CANDIDATES = 500;
/** Fewer where no index helps and every text has to be compared. */
const COMPARED_CANDIDATES = 250;
/** How many texts are compared without a pause, when the index alone cannot decide. */
const COMPARED_AT_ONCE = 128;
const RANKED_CHARACTERS = 16_384;
/** A search that has to compare very many texts ends with what it has found by then. */
const WALK_BUDGET_MS = 2_500;

/** A message that answers the query; its text is there if it had to be looked at. */
export type Candidate = { id: number; known?: TextRow };

/** What was found; not complete where time was up before everything was looked at. */
export type Candidates = { found: Candidate[]; complete: boolean };

/** The newest messages that answer the query. */
export async function findCandidates(
  connection: Connection,
  node: SearchNode,
  query: MessageQuery,
  shown: number,
): Promise<Candidates> {
  const sources = await connection.read(() => candidateSources(connection, node, query));
  const wanted = Math.max(shown, sources.some(({ unaided }) => unaided) ? COMPARED_CANDIDATES : CANDIDATES);
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
  const walkedAll = sources.length === 0 || (await walkCandidates(ranges, look, deadline));
  return { found, complete: walkedAll && comparedAll };
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
      if (answers(text, node)) accepted.push({ id: row.id, known: { ...row, text: text.slice(0, RANKED_CHARACTERS) } });
    }
    if (rows.length < portion) break;
    before = (rows.at(-1)?.id ?? 0) - 1;
    // Long texts take long: fewer of them at a time.
    if (performance.now() - started > LONG_MS) portion = Math.max(1, Math.floor(portion / 4));
    await new Promise(setImmediate);
  }
  return { found: accepted, complete: true };
}
