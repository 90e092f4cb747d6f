import type { Usage } from '../../base/index.ts';
import type { CachedUsage } from './cache-simulator.ts';
import type { Prompt } from './prompt.ts';

/** US dollars per million tokens. */
export type CachePrices = {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  longCacheWrite: number;
};

/**
 * Anthropic's prices: a cache write costs 1.25 times the input price, or 2 times for an hour; a cache read 0.1 times.
 */
export function anthropicPrices(input: number, output: number): CachePrices {
  return { input, output, cacheRead: input * 0.1, cacheWrite: input * 1.25, longCacheWrite: input * 2 };
}

/** OpenAI's prices: cache writes cost nothing extra; the price of a cache read depends on the model. */
export function openaiPrices(input: number, output: number, hit = 0.1): CachePrices {
  return { input, output, cacheRead: input * hit, cacheWrite: input, longCacheWrite: input };
}

export type BilledUsage = CachedUsage & Pick<Usage, 'output'>;

export function costInUsd(usage: BilledUsage, prices: CachePrices): number {
  const { input, cacheRead, cacheWrite, longCacheWrite, output } = usage;
  const short = cacheWrite - longCacheWrite;
  const sum =
    input * prices.input +
    cacheRead * prices.cacheRead +
    short * prices.cacheWrite +
    longCacheWrite * prices.longCacheWrite +
    output * prices.output;
  return sum / 1_000_000;
}

export function addBilled(a: BilledUsage, b: BilledUsage): BilledUsage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    longCacheWrite: a.longCacheWrite + b.longCacheWrite,
    output: a.output + b.output,
  };
}

export const NOTHING_BILLED: BilledUsage = { input: 0, cacheRead: 0, cacheWrite: 0, longCacheWrite: 0, output: 0 };

export type PricedCall = {
  prompt: Prompt;
  /** Output tokens. */
  output: number;
  /** A call for an auxiliary task: the minimum includes only its output, so all of its input counts as overhead. */
  auxiliary?: boolean;
};

/**
 * The minimum cost of a run: every block is written to the cache of its model once and read from it in each later
 * call that contains it, at any position and after any time. A block that no later call contains is plain input.
 * There is no minimum size, no step size, no marker and no expiry, so no real cache can reach this.
 */
export function minimumUsage(calls: readonly PricedCall[]): BilledUsage {
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
