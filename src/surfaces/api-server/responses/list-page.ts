import type { JsonObject } from '../../../base/index.ts';
import type { Item } from './items.ts';
import { invalid } from '../read-fields.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** A page of items, as `limit`, `order` and `after` of the query ask for it. The newest come first by default. */
export function pageOf(items: readonly Item[], query: URLSearchParams): JsonObject {
  const limit = readLimit(query.get('limit'));
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalid('order', 'must be asc or desc');
  const sorted = order === 'asc' ? [...items] : items.toReversed();
  const after = query.get('after');
  const start = after === null ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) throw invalid('after', `names no item: ${after.slice(0, 100)}`);
  return listOf(sorted.slice(start, start + limit), sorted.length > start + limit);
}

export function listOf(data: readonly Item[], hasMore = false): JsonObject {
  return {
    object: 'list',
    data: [...data],
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

function readLimit(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalid('limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
  return limit;
}

/** Whether the client asks for a field that is omitted by default, such as the content of images. */
export function includes(query: URLSearchParams, field: string): boolean {
  return [...query].some(([key, value]) => key.startsWith('include') && value === field);
}
