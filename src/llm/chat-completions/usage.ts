import type { Cost, JsonObject, Usage } from '../../base/index.ts';
import { asCount, asNumber, asObject, asObjects } from '../json-access.ts';

/** Wherever a chunk carries its usage: at the top, inside the choice, or under a provider's own name. */
export function usageObject(chunk: JsonObject): JsonObject | undefined {
  return (
    asObject(chunk.usage) ?? asObject(asObjects(chunk.choices)[0]?.usage) ?? asObject(asObject(chunk.x_groq)?.usage)
  );
}

/** Cached tokens have a different name with nearly every provider; the plain input is what is left after them. */
export function readUsage(usage: JsonObject): Usage {
  const prompt = asObject(usage.prompt_tokens_details) ?? {};
  const completion = asObject(usage.completion_tokens_details) ?? {};
  const cacheRead =
    asCount(prompt.cached_tokens) ||
    asCount(usage.prompt_cache_hit_tokens) ||
    asCount(usage.cached_tokens) ||
    asCount(usage.cache_read_input_tokens);
  const cacheWrite = asCount(prompt.cache_write_tokens) || asCount(usage.cache_creation_input_tokens);
  return {
    input: Math.max(0, asCount(usage.prompt_tokens) - cacheRead - cacheWrite),
    output: asCount(usage.completion_tokens),
    cacheRead,
    cacheWrite,
    reasoning: asCount(completion.reasoning_tokens),
  };
}

/** No call costs as much; a figure above it is a fault that would poison every sum. */
const LARGEST_COST_USD = 1e6;

/** What a router says the call cost; a figure that cannot be a price is none, or it would defeat the limits. */
export function readCost(usage: JsonObject): Cost | undefined {
  const usd = asNumber(usage.cost);
  if (usd === undefined || usd < 0 || usd > LARGEST_COST_USD) return undefined;
  return { usd, status: 'actual', source: 'provider' };
}
