import type { ToolContext } from '../../contracts/index.ts';
import { OwnText, type ToolAnswer, ToolFailure } from '../../tools/index.ts';
import { shorten } from '../../util/index.ts';
import { callService, refuseCredentials } from '../asking/call-service.ts';
import type { WebSearchArguments } from '../web-search.ts';
import { plain, SEARCH_SERVICES, type SearchHit } from './search-services.ts';

const LIMITS = { timeoutMs: 20_000, maxBytes: 4 * 1024 * 1024 };
const HEADERS = { accept: 'application/json, text/html;q=0.5', 'user-agent': 'Mozilla/5.0 (compatible; hermes-agent)' };
const MAX_TITLE = 200;
const MAX_SNIPPET = 500;
const MAX_ADDRESS = 1000;

/** Searches with the configured service and formats the results. */
export async function searchWeb({ query, limit }: WebSearchArguments, context: ToolContext): Promise<ToolAnswer> {
  const chosen = context.services.webSearch;
  if (chosen === undefined) throw new ToolFailure('No search service is configured.');
  refuseCredentials(query);
  const service = SEARCH_SERVICES[chosen.backend];
  const request = service.request({ query, limit: Math.min(limit, service.most), key: chosen.key });
  const asked = { ...request, headers: { ...HEADERS, ...request.headers } };
  const body = await callService(service, chosen, asked, { signal: context.signal, ...LIMITS });
  const hits = service.parse(new TextDecoder().decode(body));
  if (hits === undefined) {
    throw new ToolFailure(`The response of ${service.name} has an unknown format, so the search has no result.`);
  }
  const usable = hits.filter(({ url }) => isPage(url)).slice(0, limit);
  return usable.length === 0 ? new OwnText('No results. Try other words.') : usable.map(formatHit).join('\n\n');
}

function isPage(url: string): boolean {
  return url.length <= MAX_ADDRESS && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function formatHit({ title, url, snippet }: SearchHit, index: number): string {
  const lines = [`${index + 1}. ${shorten(plain(title), MAX_TITLE) || url}`, `   ${new URL(url).href}`];
  const words = shorten(plain(snippet), MAX_SNIPPET);
  return (words === '' ? lines : [...lines, `   ${words}`]).join('\n');
}
