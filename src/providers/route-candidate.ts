import { ConfigurationError, errorMessage } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { RouteSource } from '../contracts/index.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';
import { findCacheTtl } from './find-cache-ttl.ts';
import { openRoute } from './open-route.ts';

/** A choice on its way to becoming a route: it can be opened, or it is known why not. */
export type RouteCandidate =
  | { source: RouteSource; endpoint: Endpoint }
  | { source: RouteSource; problem: ConfigurationError };

/** A choice that cannot work fails when it is opened, so that the next one is tried. */
export function toCandidate(settings: Settings, choice: ModelChoice & { provider: string }): RouteCandidate {
  try {
    const endpoint = toEndpoint(settings, choice);
    return { endpoint, source: toSource(endpoint) };
  } catch (thrown) {
    const problem = thrown instanceof ConfigurationError ? thrown : new ConfigurationError(errorMessage(thrown));
    const { provider, model = 'unknown' } = choice;
    return { problem, source: { provider, model, open: () => Promise.reject(problem) } };
  }
}

function toSource(endpoint: Endpoint): RouteSource {
  const { provider, model, baseUrl } = endpoint;
  return {
    ...{ provider, model, baseUrl },
    findCacheTtl: () => findCacheTtl(endpoint),
    open: (clock) => openRoute(endpoint, clock),
  };
}
