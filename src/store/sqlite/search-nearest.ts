import type { MessageQuery } from '../../contracts/index.ts';
import type { SearchNode } from '../search-query.ts';
import { findLoosely, type NearestHits } from '../search/find-loosely.ts';
import type { NearestSource } from '../search/nearest.ts';
import { foldText } from '../search/text.ts';
import type { Connection } from './connection.ts';
import { candidateRanges, type IdRange, newestInRanges, readFiltered } from './search-candidates.ts';
import { createTermPlanner } from './search-plan.ts';

const INDEXES = ['contents', 'terms'] as const;

/** The messages that contain some of the words of a query, apart from those that are known to contain all. */
export async function searchNearest(
  connection: Connection,
  node: SearchNode,
  query: MessageQuery,
  known: ReadonlySet<number>,
): Promise<NearestHits> {
  const ranges = await connection.read(() => candidateRanges(connection, query));
  return findLoosely(createSource(connection, query, ranges), node, known);
}

function createSource(connection: Connection, query: MessageQuery, ranges: readonly IdRange[]): NearestSource {
  const planners = INDEXES.map((index) => ({ index, plan: createTermPlanner(connection, index) }));
  return {
    countSince: (id) => ranges.reduce((sum, { first, last }) => sum + Math.max(0, last - Math.max(first, id) + 1), 0),
    newest: (terms, limit) =>
      connection.read(() => {
        const found = planners.flatMap(({ index, plan }) => {
          const { match } = plan(terms);
          if (typeof match === 'string') return [];
          return newestInRanges(connection, { index, expression: match.expression, ranges, limit });
        });
        return [...new Set(found)].sort((a, b) => b - a).slice(0, limit);
      }),
    read: (ids, extent) =>
      connection.read(() =>
        readFiltered(connection, query, ids, extent).map((row) => ({ ...row, text: foldText(row.text).text })),
      ),
  };
}
