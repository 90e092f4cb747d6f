import type { JsonObject, Usage } from '../../base/index.ts';
import { asCount, asObject } from '../json-access.ts';

/** The figures of a response in our form; the API has none for what was written to its cache. */
export function readUsage(usage: JsonObject): Usage {
  const cacheRead = asCount(asObject(usage.input_tokens_details)?.cached_tokens);
  return {
    // The API's figure includes what came from its cache.
    input: Math.max(0, asCount(usage.input_tokens) - cacheRead),
    output: asCount(usage.output_tokens),
    cacheRead,
    cacheWrite: 0,
    reasoning: asCount(asObject(usage.output_tokens_details)?.reasoning_tokens),
  };
}
