import type { CachedUsage } from './cache-simulator.ts';
import { isKept, keep, newTree, pathOf, type PrefixNode } from './prefix-tree.ts';
import type { CountTokens, Prompt } from './prompt.ts';

const MINIMUM_TOKENS = 1_024;
const STEP_TOKENS = 128;
/** What is not used for so long is gone; real services keep it for five to ten minutes, and longer at night. */
const LIFE_MS = 300_000;

/**
 * The cache of a provider that keeps every prompt by itself, in steps of 128 tokens from 1,024 on. Prompts meet the same
 * cache where they have the same key, or begin with the same words.
 */
export function createAutomaticCache(countTokens: CountTokens, minimum = MINIMUM_TOKENS) {
  const trees = new Map<string, PrefixNode>();
  return (prompt: Prompt, now: number): CachedUsage => {
    const place = `${prompt.model} ${prompt.cacheKey ?? prompt.parts[0]?.block.id ?? ''}`;
    const tree = trees.get(place) ?? newTree();
    trees.set(place, tree);
    const before = neighbours(tree, prompt);
    const path = pathOf(tree, prompt);
    const end = path.findIndex((node) => !isKept(node, now));
    const whole = end < 0 ? path.length : end;
    const known = path[whole - 1]?.tokens ?? 0;
    const matched = known + countTokens(commonStart(prompt.parts[whole]?.block.text, before[whole] ?? [], now));
    for (const node of path) keep(node, now, LIFE_MS);
    const total = path.at(-1)?.tokens ?? 0;
    const cacheRead = matched < minimum ? 0 : Math.min(total, matched - (matched % STEP_TOKENS));
    return { input: total - cacheRead, cacheRead, cacheWrite: 0, longCacheWrite: 0 };
  };
}

/** For each place of the prompt what stood there in others that were the same so far. */
function neighbours(tree: PrefixNode, { parts }: Prompt): PrefixNode[][] {
  const found: PrefixNode[][] = [];
  let node: PrefixNode | undefined = tree;
  for (const { block } of parts) {
    const next: PrefixNode | undefined = node.children.get(block.id);
    found.push(next === undefined ? [...node.children.values()] : []);
    if (next === undefined) break;
    node = next;
  }
  return found;
}

/** The longest beginning of a text that one of the others has too. */
function commonStart(text: string | undefined, others: readonly PrefixNode[], now: number): string {
  if (text === undefined) return '';
  const lengths = others.filter((node) => isKept(node, now)).map((node) => commonLength(text, node.block?.text ?? ''));
  return text.slice(0, Math.max(0, ...lengths));
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
