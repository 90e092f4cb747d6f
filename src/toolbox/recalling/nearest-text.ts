/** Before hits that have only some of the words of the query, after others or alone. */
const SOME_WORDS = 'Messages with only some of the words:';
const NEAREST = 'No message has all words; nearest hits:';

/** Lists hits that have all words, then those that have some, and says which are which. */
export function withNearest<T extends { partial: boolean }>(
  hits: readonly T[],
  describe: (hit: T) => string,
  separator = '\n',
): string {
  const [whole, partial] = [hits.filter((hit) => !hit.partial), hits.filter((hit) => hit.partial)];
  if (partial.length === 0) return whole.map(describe).join(separator);
  const heading = whole.length === 0 ? NEAREST : SOME_WORDS;
  return [...whole.map(describe), heading, ...partial.map(describe)].join(separator);
}
