import { errorMessage } from '../../base/index.ts';
import type { ToolContext, WebExtractService, WebPages } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { checkUrl } from '../../tools/safe-fetch/index.ts';
import { takeStart } from '../../util/index.ts';
import { askService } from '../asking/ask-service.ts';
import { fetchPage, MOST_TEXT, type ReadPage } from './fetch-page.ts';
import { PAGE_SERVICES } from './page-services.ts';

const TIMEOUT_MS = 60_000;

type Reading = Pick<ToolContext, 'signal' | 'logger'>;

/** A page by way of the service that the person chose, and fetched by ourselves where there is none or it fails. */
export async function readPage(
  url: string,
  { service, allowPrivate }: WebPages,
  { signal, logger }: Reading,
  fetchOwn: typeof fetchPage = fetchPage,
): Promise<ReadPage> {
  if (service !== undefined && (await isPublic(url))) {
    try {
      return await readThrough(service, url, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      logger.warn('a service could not read a page', { service: service.backend, url, error: errorMessage(thrown) });
    }
  }
  return fetchOwn(url, { signal, allowPrivate });
}

/** The same rules as for our own fetching, but strict: the names inside of a network are nothing for a service. */
function isPublic(url: string): Promise<boolean> {
  return checkUrl(url).then(
    () => true,
    () => false,
  );
}

async function readThrough({ backend, key, url: place }: WebExtractService, url: string, signal: AbortSignal) {
  const service = PAGE_SERVICES[backend];
  const body = await askService(service, { url: place }, service.request(url, key), { signal, timeoutMs: TIMEOUT_MS });
  const page = service.parse(new TextDecoder().decode(body));
  if (page === undefined) throw new ToolFailure(`${service.name} answered without the text of the page.`);
  return { ...page, url: new URL(url).href, text: takeStart(page.text, MOST_TEXT), note: `read by ${service.name}` };
}
