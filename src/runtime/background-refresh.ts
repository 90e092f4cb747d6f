import type { Settings } from '../config/index.ts';
import type { Logger, RouteSource } from '../contracts/index.ts';
import { hostOf, isLocalEndpoint, PROVIDERS, refreshCatalogue } from '../providers/index.ts';

/** Delay before the refresh, long enough for startup to finish and the first request to be sent. */
const AFTER_MS = 1_000;

export type BackgroundRefreshOptions = {
  settings: Settings;
  routes: readonly RouteSource[];
  logger: Logger;
  afterMs?: number;
};

/**
 * Refreshes the model catalogue in the background of an attended session. Nothing waits for it. It does nothing if
 * the model runs locally or if the refresh is disabled. Returns a function that stops it.
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

/** The provider's own model list is used only if the base URL really is that provider's. */
function ownListOf({ provider, baseUrl = '' }: RouteSource): { provider: string; baseUrl: string } | undefined {
  const row = PROVIDERS.find(({ id }) => id === provider);
  if (row?.baseUrl === undefined || hostOf(row.baseUrl) !== hostOf(baseUrl)) return undefined;
  return { provider, baseUrl: row.baseUrl };
}
