import type { JsonValue } from '../../base/index.ts';
import type { WebExtractBackend } from '../../contracts/index.ts';
import {
  parseBody,
  type ServiceInfo,
  bearer,
  firstOf,
  keyHeader,
  objectIn,
  type ServiceRequest,
} from '../asking/call-service.ts';
import type { PageText } from './fetch-page.ts';

/** The request and response format of an extraction service. */
type PageService = ServiceInfo & {
  request(url: string, key: string | undefined): ServiceRequest;
  /** Undefined if there is no text or the response format is unknown. */
  parse(body: string): PageText | undefined;
};

export const PAGE_SERVICES: Readonly<Record<WebExtractBackend, PageService>> = {
  firecrawl: {
    name: 'Firecrawl',
    url: 'https://api.firecrawl.dev',
    request: (url, key) => ({
      path: '/v2/scrape',
      headers: bearer(key),
      body: { url, formats: ['markdown'], onlyMainContent: true },
    }),
    parse(body) {
      const page = objectIn(parseBody(body), 'data');
      const { statusCode, title } = objectIn(page, 'metadata') ?? {};
      // For an HTTP error, the text would be that of the error page.
      return typeof statusCode === 'number' && statusCode >= 400 ? undefined : pageOf(title, page?.['markdown']);
    },
  },
  tavily: {
    name: 'Tavily',
    url: 'https://api.tavily.com',
    request: (url, key) => ({ path: '/extract', headers: bearer(key), body: { urls: [url], format: 'markdown' } }),
    parse(body) {
      const page = firstOf(parseBody(body)?.['results']);
      return pageOf(page?.['title'], page?.['raw_content']);
    },
  },
  exa: {
    name: 'Exa',
    url: 'https://api.exa.ai',
    request: (url, key) => ({
      path: '/contents',
      headers: keyHeader('x-api-key', key),
      body: { urls: [url], text: true },
    }),
    parse(body) {
      const page = firstOf(parseBody(body)?.['results']);
      return pageOf(page?.['title'], page?.['text']);
    },
  },
};

function pageOf(title: JsonValue | undefined, text: JsonValue | undefined): PageText | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return { title: typeof title === 'string' ? title.replace(/\s+/g, ' ').trim() : '', text: text.toWellFormed() };
}
