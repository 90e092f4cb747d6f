import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { WebSearchBackend } from '../../contracts/index.ts';
import {
  parseBody,
  type ServiceInfo,
  bearer,
  keyHeader,
  objectIn,
  type ServiceRequest,
  valueIn,
} from '../asking/call-service.ts';

export type SearchHit = { title: string; url: string; snippet: string };
type SearchRequest = { query: string; limit: number; key: string | undefined };

/** The request and response format of a search service. */
type SearchService = ServiceInfo & {
  /** Maximum number of results per request. */
  most: number;
  request(order: SearchRequest): ServiceRequest;
  /** The results; undefined if the response format is unknown. */
  parse(body: string): SearchHit[] | undefined;
};

export const SEARCH_SERVICES: Readonly<Record<WebSearchBackend, SearchService>> = {
  exa: {
    name: 'Exa',
    url: 'https://api.exa.ai',
    most: 100,
    request: ({ query, limit, key }) => ({
      path: '/search',
      headers: keyHeader('x-api-key', key),
      body: { query, numResults: limit, contents: { highlights: true } },
    }),
    parse: jsonHits((answer) => answer['results'], { snippet: 'highlights' }),
  },
  tavily: {
    name: 'Tavily',
    url: 'https://api.tavily.com',
    most: 20,
    request: ({ query, limit, key }) => ({
      path: '/search',
      headers: bearer(key),
      body: { query, max_results: limit },
    }),
    parse: jsonHits((answer) => answer['results'], { snippet: 'content' }),
  },
  brave: {
    name: 'Brave Search',
    url: 'https://api.search.brave.com',
    most: 20,
    request: ({ query, limit, key }) => ({
      path: `/res/v1/web/search?${new URLSearchParams({ q: query, count: `${limit}`, text_decorations: 'false' })}`,
      headers: keyHeader('x-subscription-token', key),
    }),
    // Without results, `web` is missing.
    parse: jsonHits((answer) => valueIn(answer['web'], 'results') ?? (answer['type'] === 'search' ? [] : undefined), {
      snippet: 'description',
    }),
  },
  serpapi: {
    name: 'SerpAPI',
    url: 'https://serpapi.com',
    most: 100,
    request: ({ query, limit, key }) => ({
      path: `/search.json?${new URLSearchParams({ engine: 'google', q: query, num: `${limit}`, api_key: key ?? '' })}`,
    }),
    // Without results, there is only `search_metadata`.
    parse: jsonHits((answer) => answer['organic_results'] ?? (objectIn(answer, 'search_metadata') && []), {
      url: 'link',
      snippet: 'snippet',
    }),
  },
  firecrawl: {
    name: 'Firecrawl',
    url: 'https://api.firecrawl.dev',
    most: 100,
    request: ({ query, limit, key }) => ({
      path: '/v2/search',
      headers: bearer(key),
      body: { query, limit },
    }),
    // API version 1 returns the list directly.
    parse: jsonHits((answer) => valueIn(answer['data'], 'web') ?? answer['data'], { snippet: 'description' }),
  },
  searxng: {
    name: 'SearXNG',
    url: 'http://localhost:8080',
    isLocal: true,
    most: 100,
    request: ({ query }) => ({ path: `/search?${new URLSearchParams({ q: query, format: 'json' })}` }),
    parse: jsonHits((answer) => answer['results'], { snippet: 'content' }),
    onRefusal: 'The settings of this SearXNG server must allow the format json (search.formats).',
  },
  duckduckgo: {
    name: 'DuckDuckGo',
    url: 'https://html.duckduckgo.com',
    most: 30,
    request: ({ query }) => ({ path: `/html/?${new URLSearchParams({ q: query })}` }),
    parse: parseResultPage,
    onRefusal:
      'The service treats this machine as a bot. Try again later, or configure a search service with an API key.',
  },
};

type Fields = { url?: string; snippet: string };

function jsonHits(
  listOf: (answer: JsonObject) => JsonValue | undefined,
  { url = 'url', snippet }: Fields,
): SearchService['parse'] {
  return (body) => {
    const answer = parseBody(body);
    const list = answer && listOf(answer);
    if (!Array.isArray(list)) return undefined;
    return list.filter(isJsonObject).map((hit) => ({
      title: textOf(hit['title']),
      url: textOf(hit[url]),
      snippet: textOf(hit[snippet]),
    }));
  };
}

function textOf(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return value.filter((part) => typeof part === 'string').join(' … ');
  return typeof value === 'string' ? value : '';
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Parses DuckDuckGo's HTML result page; undefined for any other page, such as a CAPTCHA. */
function parseResultPage(html: string): SearchHit[] | undefined {
  // Each result begins with its title.
  const [before = '', ...parts] = html.split('class="result__a"');
  if (parts.length === 0) return /class="[^"]{0,200}no-results/.test(before) ? [] : undefined;
  return parts.map((part) => ({
    title: plain(between(part, '>', '</a>')),
    url: targetOf(decodeEntities(between(part, 'href="', '"'))),
    snippet: plain(between(after(part, 'class="result__snippet"'), '>', '</a>')),
  }));
}

/** Links go through a redirect; the target is in its `uddg` parameter. */
function targetOf(href: string): string {
  if (!URL.canParse(href, 'https://duckduckgo.com')) return '';
  const url = new URL(href, 'https://duckduckgo.com');
  return url.searchParams.get('uddg') ?? url.href;
}

function after(text: string, marker: string): string {
  const at = text.indexOf(marker);
  return at < 0 ? '' : text.slice(at + marker.length);
}

function between(text: string, open: string, close: string): string {
  const rest = after(text, open);
  const end = rest.indexOf(close);
  return end < 0 ? '' : rest.slice(0, end);
}

/** Converts an HTML fragment to plain text. */
export function plain(html: string): string {
  return decodeEntities(html.replace(/<[^<>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
