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
const MOST_MATCHES_SHOWN = 200;
/** How many texts are compared without a pause, when the index alone cannot decide. */
const COMPARED_AT_ONCE = 128;

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
      const ids = await findCandidates(connection, node, query, Math.max(CANDIDATES, offset + limit));
      const terms = wantedTerms(node);
      const ranked = await connection.read(() => rankMessages(connection, ids, terms));
      const page = ranked.slice(offset, offset + limit);
      return connection.read(() => readHits(connection, page, terms));
    },
  };
}

/** The newest messages that answer the query. */
async function findCandidates(
  connection: Connection,
  node: SearchNode,
  query: MessageQuery,
  wanted: number,
): Promise<number[]> {
  const sources = await connection.read(() => candidateSources(connection, node, query));
  const ranges = await connection.read(() => candidateRanges(connection, query));
  const found: number[] = [];
  const look = async (range: IdRange) => {
    found.push(...(await lookBetween(connection, sources, node, { ...range, limit: wanted - found.length })));
    return found.length >= wanted;
  };
  if (sources.length > 0) await walkCandidates(ranges, look, WALK_BUDGET_MS);
  return found;
}

function candidateSources(connection: Connection, node: SearchNode, query: MessageQuery): CandidateSource[] {
  const contents = { index: 'contents', plan: planSearch(connection, 'contents', node) } as const;
  const terms = { index: 'terms', plan: planSearch(connection, 'terms', node) } as const;
  // Where all messages have to be compared, there is nothing that another index could add.
  const asked = contents.plan.match === 'everything' ? [contents] : [contents, terms];
  return asked.map((one) => candidateSource(connection, query, one)).filter((source) => source !== undefined);
}

type Window = IdRange & { limit: number };

async function lookBetween(
  connection: Connection,
  sources: readonly CandidateSource[],
  node: SearchNode,
  { first, last, limit }: Window,
): Promise<number[]> {
  const accepted = new Set<number>();
  for (const source of sources) {
    if (source.exact) {
      for (const id of await connection.read(() => source.find(first, last, limit))) accepted.add(id);
      continue;
    }
    for (const id of await compare(connection, source, node, { first, last, limit })) accepted.add(id);
  }
  return [...accepted].sort((a, b) => b - a).slice(0, limit);
}

/** Candidates whose texts answer the query, in portions, until there are enough. */
async function compare(
  connection: Connection,
  source: CandidateSource,
  node: SearchNode,
  { first, last, limit }: Window,
): Promise<number[]> {
  const accepted: number[] = [];
  let before = last;
  while (before >= first && accepted.length < limit) {
    const upTo = before;
    const ids = await connection.read(() => source.find(first, upTo, COMPARED_AT_ONCE));
    const texts = await connection.read(() => readTexts(connection, ids, 'whole'));
    for (const { id, text } of texts) if (answers(foldText(text).text, node)) accepted.push(id);
    if (ids.length < COMPARED_AT_ONCE) break;
    before = (ids.at(-1) ?? 0) - 1;
    await new Promise(setImmediate);
  }
  return accepted;
}

function rankMessages(connection: Connection, ids: readonly number[], terms: readonly SearchTerm[]): number[] {
  const messages = readTexts(connection, ids, 'beginning');
  const folded = messages.map((message) => ({ ...message, text: foldText(message.text).text }));
  return rank(folded, terms).map(({ id }) => id);
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
