import type { CacheTtl } from '../contracts/index.ts';
import type { Endpoint } from './endpoint.ts';

/** How long the provider of an endpoint will be asked to keep what it has read; nothing is opened for it. */
export async function findCacheTtl(endpoint: Endpoint): Promise<CacheTtl | undefined> {
  if (endpoint.command !== undefined || !mayTakeMarks(endpoint)) return undefined;
  const { cacheTtlOf, chooseApiMode } = await import('../llm/index.ts');
  const { baseUrl, explicitApiMode: explicit, providerApiMode: provider } = endpoint;
  return cacheTtlOf({ ...endpoint, apiMode: chooseApiMode({ explicit, provider, baseUrl }) });
}

/** By the name alone, so that a start with any other model need not load what knows the rest. */
function mayTakeMarks({ model, quirks }: Endpoint): boolean {
  return model.toLowerCase().includes(quirks?.cacheMarks || 'claude');
}
