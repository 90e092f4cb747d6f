import { HermesError } from '../../base/index.ts';
import type { CacheTtl } from '../../contracts/index.ts';
import type { CachedUsage } from './cache-simulator.ts';
import { isKept, keep, newTree, pathOf, type PrefixNode } from './prefix-tree.ts';
import type { Prompt } from './prompt.ts';

const MOST_MARKS = 4;
/** A mark looks for an entry at its own place and at those before it, so many in all. */
const LOOK_BACK = 20;
const LIFE_MS: Readonly<Record<CacheTtl, number>> = { '5m': 300_000, '1h': 3_600_000 };

/** Prefixes that are shorter are not kept, and nobody says so. */
const MINIMUM_TOKENS: readonly { models: RegExp; tokens: number }[] = [
  { models: /opus-4[-.][5-9]|haiku-4[-.]5/, tokens: 4_096 },
  { models: /sonnet-4[-.]6|haiku-3|3[-.]5-haiku|3-haiku/, tokens: 2_048 },
];
const USUAL_MINIMUM_TOKENS = 1_024;

/**
 * The cache of a provider that keeps what it is told to. An entry is written at each mark and nowhere else; a request
 * reads the longest entry that one of its marks finds, and pays for writing what lies between that and its last mark.
 */
export function createMarkedCache(minimum?: number) {
  const trees = new Map<string, PrefixNode>();
  return (prompt: Prompt, now: number): CachedUsage => {
    const marks = prompt.parts.flatMap(({ mark }, index) => (mark === undefined ? [] : [{ index, mark }]));
    if (marks.length > MOST_MARKS) throw new HermesError(`A request has ${marks.length} cache marks, 4 are allowed.`);
    const tree = trees.get(prompt.model) ?? newTree();
    trees.set(prompt.model, tree);
    const path = pathOf(tree, prompt);
    const hit = Math.max(-1, ...marks.map(({ index }) => findEntry(path, index, now)));
    refresh(path, [hit, ...marks.map(({ index }) => index).filter((index) => index < hit)], now);
    const least = minimum ?? minimumFor(prompt.model);
    const written = marks.filter(({ index }) => index > hit && tokensAt(path, index) >= least);
    for (const { index, mark } of written) keep(path[index] as PrefixNode, now, LIFE_MS[mark]);
    return countUsage(path, hit, written);
  };
}

function findEntry(path: readonly PrefixNode[], mark: number, now: number): number {
  for (let index = mark; index > mark - LOOK_BACK && index >= 0; index -= 1) {
    if (isKept(path[index] as PrefixNode, now)) return index;
  }
  return -1;
}

/** What is used lives on; what ran out is not brought back by it. */
function refresh(path: readonly PrefixNode[], indexes: readonly number[], now: number): void {
  for (const index of indexes) {
    const node = path[index];
    if (node !== undefined && isKept(node, now)) keep(node, now, node.lifeMs);
  }
}

function countUsage(
  path: readonly PrefixNode[],
  hit: number,
  written: readonly { index: number; mark: CacheTtl }[],
): CachedUsage {
  const cacheRead = tokensAt(path, hit);
  const end = tokensAt(path, written.at(-1)?.index ?? hit);
  const long = written.findLast(({ mark }) => mark === '1h');
  const longCacheWrite = long === undefined ? 0 : tokensAt(path, long.index) - cacheRead;
  return { input: tokensAt(path, path.length - 1) - end, cacheRead, cacheWrite: end - cacheRead, longCacheWrite };
}

function tokensAt(path: readonly PrefixNode[], index: number): number {
  return path[index]?.tokens ?? 0;
}

function minimumFor(model: string): number {
  return MINIMUM_TOKENS.find(({ models }) => models.test(model.toLowerCase()))?.tokens ?? USUAL_MINIMUM_TOKENS;
}
