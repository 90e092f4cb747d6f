import { matchesQuery } from './find-term.ts';
import type { SearchNode, SearchTerm } from '../search-query.ts';
import type { LooseQuery } from './loosen.ts';
import { rankNearest } from './rank-nearest.ts';
import type { Ranked } from './score.ts';

/** The messages of a database, as the search for nearest hits reads them. */
export type NearestSource = {
  /** The number of messages in the ranges that are searched, roughly; with an id, of those since this one. */
  countSince(id: number): number;
  /** The newest messages that contain all of these terms: ids, newest first. They may not pass the filters. */
  newest(terms: readonly SearchTerm[], limit: number): Promise<number[]>;
  /** Those of the messages that pass the filters, with folded texts. */
  read(ids: readonly number[], extent: 'whole' | 'beginning'): Promise<Ranked[]>;
};

export type Nearest = { ids: number[]; complete: boolean };

/** The number of newest messages that are looked up for each term. */
const LOOKED_UP = 1_000;
/** The number of newest messages that are looked up for each pair of terms. */
const PAIR_LOOKED_UP = 150;
/** Pairs are formed of so many of the rarest terms. */
const PAIRED_TERMS = 5;
/** The number of messages whose texts are ranked, and of those that may be read to find so many that pass the filters. */
const RANKED = 200;
const READ_AT_MOST = 4_000;
/** Time limit for looking up pairs and reading texts. */
const BUDGET_MS = 1_500;

/** A term, how rare it is, and whether all its messages were looked up. */
type Weighed = { term: SearchTerm; weight: number; isComplete: boolean };

/**
 * The messages that match a query best if they need not contain all of its words, best first. Common words are not
 * followed through all messages: what makes a good hit are the rare ones, and the pairs.
 */
export async function findNearest(
  source: NearestSource,
  query: LooseQuery,
  { known, leastShare }: { known: ReadonlySet<number>; leastShare: number },
): Promise<Nearest> {
  const deadline = performance.now() + BUDGET_MS;
  const { weighed, found } = await lookUp(source, query.terms);
  let complete = await lookUpPairs(source, { weighed, found, deadline });
  const likely = mostLikely(found, weighed).filter((id) => !known.has(id));
  const texts: Ranked[] = [];
  const extent = query.unwanted.length > 0 ? 'whole' : 'beginning';
  for (let from = 0; from < Math.min(likely.length, READ_AT_MOST) && texts.length < RANKED; from += RANKED) {
    if (from > 0 && performance.now() > deadline) {
      complete = false;
      break;
    }
    const rows = await source.read(likely.slice(from, from + RANKED), extent);
    texts.push(...rows.filter(({ text }) => !isUnwanted(text, query.unwanted)));
    await nextTick();
  }
  return { ids: rankNearest(texts, weighed, leastShare).map(({ id }) => id), complete };
}

function isUnwanted(text: string, unwanted: readonly SearchNode[]): boolean {
  return unwanted.some((node) => matchesQuery(text, node));
}

/** Which terms a message is known to contain: one bit for each. */
type Found = Map<number, number>;

async function lookUp(source: NearestSource, terms: readonly SearchTerm[]) {
  const found: Found = new Map();
  const weighed: Weighed[] = [];
  const total = source.countSince(0);
  for (const [bit, term] of terms.entries()) {
    const ids = await source.newest([term], LOOKED_UP);
    const isComplete = ids.length < LOOKED_UP;
    const covered = isComplete ? total : source.countSince(ids.at(-1) ?? 0);
    const share = ids.length / Math.max(covered, 1);
    weighed.push({ term, weight: weightOf(share * total, total), isComplete });
    for (const id of ids) found.set(id, (found.get(id) ?? 0) | (1 << bit));
    await nextTick();
  }
  return { weighed, found };
}

/** The inverse document frequency of BM25; 0 for a term that does not occur. */
function weightOf(messages: number, total: number): number {
  return messages === 0 ? 0 : Math.log(1 + Math.max(total - messages + 0.5, 0.5) / (messages + 0.5));
}

/** Looks up pairs of which a term is too common to know all its messages, and all terms together. */
async function lookUpPairs(
  source: NearestSource,
  { weighed, found, deadline }: { weighed: readonly Weighed[]; found: Found; deadline: number },
): Promise<boolean> {
  const rarest = [...weighed.entries()]
    .filter(([, { weight }]) => weight > 0)
    .sort(([, a], [, b]) => b.weight - a.weight)
    .slice(0, PAIRED_TERMS);
  const pairs = rarest.flatMap((one, index) => rarest.slice(index + 1).map((other) => [one, other]));
  const groups = [rarest, ...pairs].filter((group) => group.some(([, { isComplete }]) => !isComplete));
  for (const group of groups) {
    if (performance.now() > deadline) return false;
    const bits = group.reduce((sum, [bit]) => sum | (1 << bit), 0);
    const terms = group.map(([, { term }]) => term);
    for (const id of await source.newest(terms, PAIR_LOOKED_UP)) found.set(id, (found.get(id) ?? 0) | bits);
    await nextTick();
  }
  return true;
}

/** The ids whose known terms weigh most, newest first if they weigh the same. */
function mostLikely(found: Found, weighed: readonly Weighed[]): number[] {
  const weights = new Map<number, number>();
  const weightOfBits = (bits: number) => {
    let weight = weights.get(bits);
    if (weight === undefined) {
      weight = weighed.reduce((sum, term, bit) => sum + ((bits & (1 << bit)) === 0 ? 0 : term.weight), 0);
      weights.set(bits, weight);
    }
    return weight;
  };
  const scored = Array.from(found, ([id, bits]) => ({ id, weight: weightOfBits(bits) }));
  return scored.sort((a, b) => b.weight - a.weight || b.id - a.id).map(({ id }) => id);
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
