import type { PickItem } from '../../slash/index.ts';

/**
 * Returns the items that contain every word of the query, in any order. Items whose label begins with the query come
 * first, then those whose label contains all words; otherwise the order is kept.
 */
export function filterItems(items: readonly PickItem[], query: string): readonly PickItem[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return items;
  const words = wanted.split(/\s+/);
  const containsAll = (text: string) => words.every((word) => text.includes(word));
  const ranked = items.flatMap((item) => {
    const label = item.label.toLowerCase();
    const rest = [item.about, item.note, item.keywords].filter(Boolean).join('\n').toLowerCase();
    if (!containsAll(`${label}\n${rest}`)) return [];
    return [{ item, rank: label.startsWith(wanted) ? 0 : containsAll(label) ? 1 : 2 }];
  });
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ item }) => item);
}
