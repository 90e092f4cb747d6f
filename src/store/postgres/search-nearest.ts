import type { MessageQuery } from '../../contracts/index.ts';
import type { Database } from '../database.ts';
import { findLoosely, type NearestHits } from '../search/find-loosely.ts';
import type { SearchNode } from '../search-query.ts';
import { foldText } from '../search/text.ts';
import { readChosen, readNewest, readRange } from './search-rows.ts';

const RANKED_CHARACTERS = 16_384;

/** The messages that contain some of the words of a query, apart from those that are known to contain all. */
export async function searchNearest(
  database: Database,
  node: SearchNode,
  query: MessageQuery,
  known: ReadonlySet<number>,
): Promise<NearestHits> {
  const { first, last } = await database.read((db) => readRange(db, query));
  const source = {
    countSince: (id: number) => last - Math.max(first, id) + 1,
    newest: (terms: Parameters<typeof readNewest>[1], limit: number) =>
      database.read((db) => readNewest(db, terms, query, limit)),
    async read(ids: readonly number[], extent: 'whole' | 'beginning') {
      const rows = await database.read((db) => readChosen(db, ids));
      return rows.map((row) => {
        const text = foldText(row.text).text;
        return { ...row, text: extent === 'whole' ? text : text.slice(0, RANKED_CHARACTERS) };
      });
    },
  };
  return findLoosely(source, node, known);
}
