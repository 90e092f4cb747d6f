import {
  WEB_EXTRACT_BACKENDS,
  WEB_SEARCH_BACKENDS,
  type WebExtractService,
  type WebSearchBackend,
  type WebSearchService,
} from '../contracts/index.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';

type Needs = { keys: readonly string[]; address?: string };

/** What each search service needs. A service that needs neither a key nor a URL is used only if it is configured. */
const NEEDS: Readonly<Record<WebSearchBackend, Needs>> = {
  exa: { keys: ['EXA_API_KEY'] },
  tavily: { keys: ['TAVILY_API_KEY'] },
  brave: { keys: ['BRAVE_SEARCH_API_KEY', 'BRAVE_API_KEY'] },
  serpapi: { keys: ['SERPAPI_API_KEY'] },
  firecrawl: { keys: ['FIRECRAWL_API_KEY'], address: 'FIRECRAWL_API_URL' },
  searxng: { keys: [], address: 'SEARXNG_URL' },
  duckduckgo: { keys: [] },
};

/** The configured service, or the first whose key or URL is set; undefined if none is usable. */
export function readWebSearch(
  values: ConfigFile['web'] = {},
  variables: EnvironmentVariables,
): WebSearchService | undefined {
  const named = WEB_SEARCH_BACKENDS.find((backend) => backend === (values.search_backend ?? values.backend));
  if (named !== undefined) return serviceFor(named, values.search_url, variables);
  return WEB_SEARCH_BACKENDS.filter((backend) => backend !== 'duckduckgo')
    .map((backend) => serviceFor(backend, undefined, variables))
    .find((service) => service !== undefined);
}

/**
 * Returns only an explicitly configured service: a key that was set for searching is no consent to read pages with
 * that service.
 */
export function readWebExtract(
  values: ConfigFile['web'] = {},
  variables: EnvironmentVariables,
): WebExtractService | undefined {
  const named = WEB_EXTRACT_BACKENDS.find((backend) => backend === values.extract_backend);
  return named && serviceFor(named, values.extract_url, variables);
}

function serviceFor<Backend extends WebSearchBackend>(
  backend: Backend,
  written: string | undefined,
  variables: EnvironmentVariables,
): (WebSearchService & { readonly backend: Backend }) | undefined {
  const { keys, address } = NEEDS[backend];
  const key = keys.map((name) => variables[name]).find((value) => value);
  const url = written ?? ((address && variables[address]) || undefined);
  const isReady = backend === 'duckduckgo' || key !== undefined || (address !== undefined && url !== undefined);
  return isReady ? { backend, key, url } : undefined;
}
