import type { CacheTtl } from '../contracts/index.ts';
import type { ConfigFile } from './schema.ts';

export const DEFAULT_CACHE_TTL: CacheTtl = '5m';

/** `prompt_caching.*`: how long a provider is asked to keep what it has read of a conversation. */
export function readCachingSettings({ prompt_caching: caching }: ConfigFile): { cacheTtl: CacheTtl } {
  return { cacheTtl: caching?.cache_ttl ?? DEFAULT_CACHE_TTL };
}
