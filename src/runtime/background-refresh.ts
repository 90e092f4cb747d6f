import type { Settings } from '../config/index.ts';
import type { Logger, RouteSource } from '../contracts/index.ts';
import { hostOf, isLocalEndpoint, PROVIDERS, refreshCatalogue } from '../providers/index.ts';

/** Long enough for a start to be over, and its first request to be on its way. */
const AFTER_MS = 1_000;

export type BackgroundRefreshOptions = {
  settings: Settings;
  routes: readonly RouteSource[];
  logger: Logger;
  afterMs?: number;
};

/**
 * Brings the catalogue of models up to date beside a session in which a person sits. Nothing waits for it, and nothing
 * is fetched for a session that stays on the person's own machine, or where it is switched off. Returns how to stop.
 */
export function startBackgroundRefresh(options: BackgroundRefreshOptions): () => void {
  const { settings, routes, logger, afterMs = AFTER_MS } = options;
  const [primary] = routes;
  const isRemote = primary?.baseUrl !== undefined && !isLocalEndpoint(primary.baseUrl);
  if (settings.backgroundRefresh === false || !isRemote) return () => {};
  const stop = new AbortController();
  const { home, catalogueUrl: url, variables } = settings;
  const request = { home, url, variables, own: ownListOf(primary), signal: stop.signal, logger };
  const timer = setTimeout(() => void refreshCatalogue({ ...request, now: Date.now() }), afterMs);
  timer.unref();
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

/** The provider's own list counts only where it is really that provider. */
function ownListOf({ provider, baseUrl = '' }: RouteSource): { provider: string; baseUrl: string } | undefined {
  const row = PROVIDERS.find(({ id }) => id === provider);
  if (row?.baseUrl === undefined || hostOf(row.baseUrl) !== hostOf(baseUrl)) return undefined;
  return { provider, baseUrl: row.baseUrl };
}
