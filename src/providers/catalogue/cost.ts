import type { Cost, Usage } from '../../base/index.ts';
import type { CacheTtl, ModelFacts, ModelPrice, SpeedTier, TokenPrices } from '../../contracts/index.ts';

const PER_MILLION = 1_000_000;

/** Covered by a subscription, so the cost of a single call is unknown. */
const INCLUDED: Cost = { usd: 0, status: 'unknown', source: 'subscription' };

/** What the price of a call depends on besides its tokens. */
export type PriceOptions = { speed?: SpeedTier; cacheTtl?: CacheTtl };

/**
 * Catalogues have the price of five-minute cache writes, 1.25 times the input price; one hour costs twice the input
 * price.
 */
const HOUR_FACTOR = 2 / 1.25;

/** Estimates the cost of a call; undefined if no price is known. */
export function estimateCost(facts: ModelFacts, usage: Usage, way: PriceOptions = {}): Cost | undefined {
  if (facts.subscription) return INCLUDED;
  const { price, fastPrice } = facts;
  const { speed = 'normal', cacheTtl } = way;
  if (speed === 'fast' && fastPrice !== undefined) return priceUsage(fastPrice, usage, cacheTtl);
  if (price === undefined) return undefined;
  const cost = priceUsage(price, usage, cacheTtl);
  // Without a fast price, the normal price is a lower bound, which is enough for spending limits. The actual cost is
  // unknown.
  return speed === 'fast' ? { ...cost, status: 'unknown' } : cost;
}

/** Reasoning tokens are part of the output and not counted again. */
export function priceUsage(price: ModelPrice, usage: Usage, cacheTtl: CacheTtl = '5m'): Cost {
  const { input, output, cacheRead = input, cacheWrite = input } = pricesFor(price, usage);
  const written = usage.cacheWrite * cacheWrite * (cacheTtl === '1h' ? HOUR_FACTOR : 1);
  const sum = usage.input * input + usage.cacheRead * cacheRead + written + usage.output * output;
  return { usd: sum / PER_MILLION, status: 'estimated', source: price.source, pricingVersion: price.version };
}

/** A call whose input exceeds the limit of a tier is charged completely at the higher price. */
function pricesFor(price: ModelPrice, usage: Usage): TokenPrices {
  const read = usage.input + usage.cacheRead + usage.cacheWrite;
  const reached = (price.tiers ?? []).filter(({ above }) => read > above);
  return reached.reduce<TokenPrices & { above: number }>(
    (highest, tier) => (tier.above > highest.above ? tier : highest),
    { ...price, above: 0 },
  );
}
