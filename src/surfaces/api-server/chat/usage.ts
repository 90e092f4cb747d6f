import type { JsonObject, Usage } from '../../../base/index.ts';

/** Token counts as OpenAI reports them: the input includes what came from a cache. */
export function toChatUsage({ input, output, cacheRead, cacheWrite, reasoning }: Usage): JsonObject {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
