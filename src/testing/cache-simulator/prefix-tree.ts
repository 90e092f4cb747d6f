import type { Prompt, PromptBlock, PromptPart } from './prompt.ts';

/** The end of a prefix that was once sent. Two prompts share a node exactly as far as they are the same. */
export type PrefixNode = {
  readonly block: PromptBlock | undefined;
  /** From the beginning up to here. */
  readonly tokens: number;
  readonly children: Map<number, PrefixNode>;
  /** Until when something is kept that ends here, and for how long each use keeps it. */
  expiresAt: number;
  lifeMs: number;
};

export function newTree(): PrefixNode {
  return newNode(undefined, 0);
}

function newNode(block: PromptBlock | undefined, tokens: number): PrefixNode {
  return { block, tokens, children: new Map(), expiresAt: Number.NEGATIVE_INFINITY, lifeMs: 0 };
}

/** The node of each part, from the first to the last; those that were never sent are added. */
export function pathOf(tree: PrefixNode, prompt: Prompt): PrefixNode[] {
  const path: PrefixNode[] = [];
  let node = tree;
  for (const part of prompt.parts) {
    node = childFor(node, part);
    path.push(node);
  }
  return path;
}

function childFor(node: PrefixNode, { block }: PromptPart): PrefixNode {
  const known = node.children.get(block.id);
  if (known !== undefined) return known;
  const child = newNode(block, node.tokens + block.tokens);
  node.children.set(block.id, child);
  return child;
}

export function isKept(node: PrefixNode, now: number): boolean {
  return node.expiresAt > now;
}

export function keep(node: PrefixNode, now: number, lifeMs: number): void {
  node.lifeMs = lifeMs;
  node.expiresAt = now + lifeMs;
}
