import type { Usage } from '../../base/index.ts';
import type { CachedUsage } from './cache-simulator.ts';

/** US dollars per million tokens. */
export type CachePrices = {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  longCacheWrite: number;
};

/** Anthropic's rule: writing costs a quarter more than reading, or twice as much for an hour; a hit a tenth. */
export function anthropicPrices(input: number, output: number): CachePrices {
  return { input, output, cacheRead: input * 0.1, cacheWrite: input * 1.25, longCacheWrite: input * 2 };
}

/** OpenAI's: writing costs nothing extra; what a hit costs depends on the model. */
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
