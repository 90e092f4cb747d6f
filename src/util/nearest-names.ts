import { distance } from 'fastest-levenshtein';

/** The names most similar to a given one, best first, without dissimilar ones. */
export function nearestNames(wanted: string, names: readonly string[], limit: number): string[] {
  const plain = wanted.toLowerCase();
  return names
    .map((name) => ({ name, score: dissimilarity(plain, name.toLowerCase()) }))
    .filter(({ score }) => score <= 0.5)
    .sort((a, b) => a.score - b.score || a.name.localeCompare(b.name))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** From 0 (identical) to 1 (nothing in common). A name that contains the other one is always close. */
function dissimilarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length, 1);
  const score = distance(a, b) / longest;
  return a !== '' && b !== '' && (a.includes(b) || b.includes(a)) ? Math.min(score, 0.4) : score;
}
