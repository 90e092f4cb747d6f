/**
 * Token counts of one or more model calls, in the same units for all API modes. `input` excludes tokens read from or
 * written to the cache.
 */
export type Usage = {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The share of `output` that was reasoning, if the provider reports it. */
  reasoning: number;
};

/**
 * The cost of a call or a session. `actual` was reported by the provider, `estimated` was computed from a price
 * table.
 */
export type Cost = {
  usd: number;
  status: 'actual' | 'estimated' | 'unknown';
  source?: string;
  pricingVersion?: string;
};

export const NO_USAGE: Usage = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
export const NO_COST: Cost = Object.freeze({ usd: 0, status: 'unknown' });

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
  };
}

const CERTAINTY: readonly Cost['status'][] = ['unknown', 'estimated', 'actual'];

/** Adds a cost to a sum; the sum is only as certain as its least certain part. */
export function addCost(sum: Cost | undefined, cost: Cost): Cost {
  if (sum === undefined) return cost;
  const status = CERTAINTY.find((certainty) => certainty === sum.status || certainty === cost.status) ?? 'unknown';
  return { usd: sum.usd + cost.usd, status, source: cost.source, pricingVersion: cost.pricingVersion };
}

/** The share of the input that came from the cache, from 0 to 1; undefined if there was no input. */
export function cacheHitRate({ input, cacheRead, cacheWrite }: Usage): number | undefined {
  const read = input + cacheRead + cacheWrite;
  return read === 0 ? undefined : cacheRead / read;
}

/** All input and output tokens, cached or not. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}
