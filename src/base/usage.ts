/** Token counts of one or more model calls, normalised over the API modes. `input` leaves out what came from a cache. */
export type Usage = {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The part of `output` that was thinking, where the provider tells. */
  reasoning: number;
};

/** What a call or session cost. `actual` comes from the provider, `estimated` from a price table. */
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

/** Adds costs; the sum is only as certain as its least certain part that cost anything. */
export function addCost(a: Cost, b: Cost): Cost {
  const certainty = ['unknown', 'estimated', 'actual'] as const;
  const parts = [a, b].filter((cost) => cost !== NO_COST);
  if (parts.length === 0) return NO_COST;
  const rank = Math.min(...parts.map((cost) => certainty.indexOf(cost.status)));
  const { source, pricingVersion } = parts[parts.length - 1] as Cost;
  return { usd: a.usd + b.usd, status: certainty[rank] ?? 'unknown', source, pricingVersion };
}

/** Everything the provider read and wrote for a call. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}
