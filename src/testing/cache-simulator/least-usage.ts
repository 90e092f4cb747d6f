import { addBilled, type BilledUsage, NOTHING_BILLED } from './prices.ts';
import type { Prompt } from './prompt.ts';

export type PricedCall = {
  prompt: Prompt;
  /** Tokens of the answer. */
  output: number;
  /** A call beside the chat: all of its input is more than the least, which has only its answer. */
  auxiliary?: boolean;
};

/**
 * The least that a run could be billed for: every block is written to the cache of its model once and read from it in
 * each later call that has it, wherever it stands there and however long that is; a block that no later call has is
 * read plainly. No minimum size, no steps, no marks, no end of life: no real cache can do that.
 */
export function leastUsage(calls: readonly PricedCall[]): BilledUsage {
  const uses = new Map<string, number>();
  const keysOf = ({ model, parts }: Prompt) => parts.map(({ block }) => `${model} ${block.id}`);
  for (const { prompt, auxiliary } of calls) {
    if (!auxiliary) for (const key of keysOf(prompt)) uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const seen = new Set<string>();
  let sum = NOTHING_BILLED;
  for (const { prompt, output, auxiliary } of calls) {
    const usage = { ...NOTHING_BILLED, output };
    for (const { block } of auxiliary ? [] : prompt.parts) {
      const key = `${prompt.model} ${block.id}`;
      if (seen.has(key)) usage.cacheRead += block.tokens;
      else usage[uses.get(key) === 1 ? 'input' : 'cacheWrite'] += block.tokens;
      seen.add(key);
    }
    sum = addBilled(sum, usage);
  }
  return sum;
}
