import type { ToolContext, WebSearchService } from '../../contracts/index.ts';
import { type FetchedPage, safeFetch } from '../../tools/safe-fetch/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { looksLikeKey, shorten } from '../../util/index.ts';
import type { WebSearchArguments } from '../web-search.ts';
import { plain } from './result-page.ts';
import { SEARCH_SERVICES, type SearchHit, type SearchService } from './search-services.ts';

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;
const HEADERS = { accept: 'application/json, text/html;q=0.5', 'user-agent': 'Mozilla/5.0 (compatible; hermes-agent)' };
const MAX_TITLE = 200;
const MAX_SNIPPET = 500;
const MAX_ADDRESS = 1000;

/** What the configured service finds, as a list for the model. */
export async function searchWeb({ query, limit }: WebSearchArguments, context: ToolContext): Promise<string> {
  const chosen = context.services.webSearch;
  if (chosen === undefined) throw new ToolFailure('No search service is configured.');
  if (query.split(/\s+/).some(looksLikeKey)) {
    throw new ToolFailure('The query has a key or token in it, which is nothing for a search service. Leave it out.');
  }
  const service = SEARCH_SERVICES[chosen.backend];
  const page = await ask(service, chosen, { query, limit: Math.min(limit, service.most) }, context.signal);
  refuseFailure(service, page);
  const hits = service.parse(new TextDecoder().decode(page.body));
  if (hits === undefined) {
    throw new ToolFailure(
      `${service.name} answered in a form that is not known, so nothing can be said of the search.`,
    );
  }
  const usable = hits.filter(({ url }) => isPage(url)).slice(0, limit);
  return usable.length === 0 ? 'Nothing was found. Try other words.' : usable.map(formatHit).join('\n\n');
}

function ask(
  { url, request }: SearchService,
  chosen: WebSearchService,
  order: { query: string; limit: number },
  signal: AbortSignal,
): Promise<FetchedPage> {
  const { path, headers, body } = request({ ...order, key: chosen.key ?? '' });
  const base = (chosen.url ?? url).replace(/\/+$/, '');
  return safeFetch(base + path, {
    signal,
    ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
    // The person wrote the address, and a service of one's own mostly runs on this machine or near it.
    allowPrivate: chosen.url !== undefined || chosen.backend === 'searxng',
    // The address is made here, and one of the services takes its key in no other place.
    mayHoldKey: true,
    headers: { ...HEADERS, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

/** The answer itself is not shown: it may repeat what was sent, and so the key. */
function refuseFailure({ name, onRefusal }: SearchService, { status }: FetchedPage): void {
  if (status === 200) return;
  const refused = [202, 401, 402, 403].includes(status);
  const why = refused ? (onRefusal ?? 'Its key is missing, wrong or used up; the user has to set another.') : '';
  const late = status === 429 ? 'There were too many questions; wait, or work with what is known.' : '';
  throw new ToolFailure(`${name} answered with status ${status}. ${why || late || 'Try again later.'}`);
}

function isPage(url: string): boolean {
  return url.length <= MAX_ADDRESS && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function formatHit({ title, url, snippet }: SearchHit, index: number): string {
  const lines = [`${index + 1}. ${shorten(plain(title), MAX_TITLE) || url}`, `   ${new URL(url).href}`];
  const words = shorten(plain(snippet), MAX_SNIPPET);
  return (words === '' ? lines : [...lines, `   ${words}`]).join('\n');
}
