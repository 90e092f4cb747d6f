import type { CacheTtl, RequestMarkers } from '../../contracts/index.ts';
import type { AgentOptions } from '../agent-options.ts';
import type { AgentSession } from '../agent-session.ts';
import type { RouteChain } from '../route-chain.ts';

/** What the cache markers of a request depend on. */
export type MarkerInput = {
  readonly options: Pick<AgentOptions, 'cacheMarkers'>;
  readonly session: Pick<AgentSession, 'sent'>;
  readonly routes: Pick<RouteChain, 'current' | 'learned'>;
};

/** The cache markers of the next request; undefined if its requests never have any. */
export function chooseMarkers({ options, session, routes }: MarkerInput): RequestMarkers | undefined {
  const route = routes.current();
  const support = route.client.cacheMarkers;
  if (support === undefined) return undefined;
  const { markers } = routes.learned();
  const saved = options.cacheMarkers?.find(route);
  const level = support.levels.find((one) => one === (markers.level ?? saved)) ?? support.levels[0] ?? 'none';
  // A saved `calls` follows from a refusal of results, which does not mean that calls have an effect.
  const isCertain =
    markers.isConfirmed || level === 'text' || level === 'none' || (level === 'results' && level === saved);
  const isTrial = support.levels.includes('text') && !isCertain;
  const wanted = support.ttl === 'auto' ? ttlAfter(session.sent.cacheExpired) : support.ttl;
  return { level, isTrial, ttl: markers.longTtlRefused ? '5m' : wanted };
}

/** Writing for an hour costs more, so it pays off only in a session with pauses. */
function ttlAfter(cacheExpired: boolean): CacheTtl {
  return cacheExpired ? '1h' : '5m';
}
