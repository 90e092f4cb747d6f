import type { JsonObject, Usage } from '../../base/index.ts';
import { asCount, asObject } from '../json-access.ts';

/**
 * Usage comes in several events and only ever grows, and servers that imitate this API put zeros where they know
 * nothing: the largest figure is the right one. The API's own input figure leaves out what came from the cache.
 */
export function mergeUsage(known: Usage, value: unknown): Usage {
  const usage: JsonObject = asObject(value) ?? {};
  const output = asObject(usage.output_tokens_details) ?? {};
  return {
    input: Math.max(known.input, asCount(usage.input_tokens)),
    output: Math.max(known.output, asCount(usage.output_tokens)),
    cacheRead: Math.max(known.cacheRead, asCount(usage.cache_read_input_tokens)),
    cacheWrite: Math.max(known.cacheWrite, asCount(usage.cache_creation_input_tokens)),
    reasoning: Math.max(known.reasoning, asCount(output.thinking_tokens), asCount(output.reasoning_tokens)),
  };
}
