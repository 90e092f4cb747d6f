import type { Cost, Usage } from '../../base/index.ts';
import type { CacheTtl, ModelFacts, ModelPrice, SpeedTier, TokenPrices } from '../../contracts/index.ts';

const PER_MILLION = 1_000_000;

/** Paid for by the month: nobody can say what one call of it costs. */
const INCLUDED: Cost = { usd: 0, status: 'unknown', source: 'subscription' };

/** What else decides about the price of a call. */
export type WayOfCalling = { speed?: SpeedTier; cacheTtl?: CacheTtl };

/** Catalogues have the price of writing for five minutes, a quarter above plain input; an hour is twice plain input. */
const HOUR_FACTOR = 2 / 1.25;

/** What a call costs by the catalogue; undefined where nothing is known about it. */
export function estimateCost(facts: ModelFacts, usage: Usage, way: WayOfCalling = {}): Cost | undefined {
  if (facts.subscription) return INCLUDED;
  const { price, fastPrice } = facts;
  const { speed = 'normal', cacheTtl } = way;
  if (speed === 'fast' && fastPrice !== undefined) return priceUsage(fastPrice, usage, cacheTtl);
  if (price === undefined) return undefined;
  const cost = priceUsage(price, usage, cacheTtl);
  // It costs at least that much, which is what a limit needs; how much more is not known.
  return speed === 'fast' ? { ...cost, status: 'unknown' } : cost;
}

/** Thinking is a part of the output and not counted again. */
export function priceUsage(price: ModelPrice, usage: Usage, cacheTtl: CacheTtl = '5m'): Cost {
  const { input, output, cacheRead = input, cacheWrite = input } = pricesFor(price, usage);
  const written = usage.cacheWrite * cacheWrite * (cacheTtl === '1h' ? HOUR_FACTOR : 1);
  const sum = usage.input * input + usage.cacheRead * cacheRead + written + usage.output * output;
  return { usd: sum / PER_MILLION, status: 'estimated', source: price.source, pricingVersion: price.version };
}

/** A call that reads more than a tier allows costs the higher price as a whole. */
function pricesFor(price: ModelPrice, usage: Usage): TokenPrices {
  const read = usage.input + usage.cacheRead + usage.cacheWrite;
  const reached = (price.tiers ?? []).filter(({ above }) => read > above);
  return reached.reduce<TokenPrices & { above: number }>(
    (highest, tier) => (tier.above > highest.above ? tier : highest),
    { ...price, above: 0 },
  );
}
