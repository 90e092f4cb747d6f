import { errorMessage } from '../../base/index.ts';
import type { ToolContext, WebExtractService, WebPages } from '../../contracts/index.ts';
import { approveCall, saveFullText, QuotingFailure, ToolFailure, describeFullText } from '../../tools/index.ts';
import { checkUrl, kindOfAddress } from '../../tools/safe-fetch/index.ts';
import { createSemaphore, joinTruncated, shorten, splitMiddle, takeStart } from '../../util/index.ts';
import { callService } from '../asking/call-service.ts';
import type { WebExtractArguments } from '../web-extract.ts';
import { fetchPage, MAX_TEXT_LENGTH, type ReadPage } from './fetch-page.ts';
import { PAGE_SERVICES } from './page-services.ts';

/** Few pages at a time, because converting a page to text keeps one core busy. */
const AT_ONCE = 2;
const MAX_TITLE = 300;
/** Reserved for the title, the URL, the notes and the truncation notice. */
const FRAME = 1500;

type Extracting = { limit: number; pages: WebPages; context: ToolContext };

/** Reads pages. A page that cannot be read is reported among the others. The call fails only if all pages fail. */
export async function extractPages(args: WebExtractArguments, context: ToolContext): Promise<string> {
  const pages = context.services.webPages;
  if (pages === undefined) throw new ToolFailure('Web pages cannot be fetched here.');
  const urls = [...new Set(args.urls.map((url) => url.trim()))];
  await approveCall({ name: 'web_extract', reads: true, asks: false, sends: true }, urls.join('\n'), context);
  const room = Math.max(1000, Math.floor(context.maxResultCharacters / urls.length) - FRAME);
  const extracting = { limit: Math.min(args.char_limit, room), pages, context };
  const turns = createSemaphore(AT_ONCE);
  const read = await Promise.all(urls.map((url) => turns.use(() => extractPage(url, extracting))));
  context.signal.throwIfAborted();
  const faults = read.filter((page) => 'fault' in page);
  if (faults.length === read.length) {
    const Failure = faults.every(({ isOwnText }) => isOwnText) ? ToolFailure : QuotingFailure;
    throw new Failure(faults.map(({ fault }) => fault).join('\n'));
  }
  return read.map((page) => ('fault' in page ? page.fault : page.shown)).join('\n\n\n');
}

type ExtractedPage = { shown: string } | { fault: string; isOwnText: boolean };

async function extractPage(url: string, extracting: Extracting): Promise<ExtractedPage> {
  const { pages, context } = extracting;
  try {
    context.signal.throwIfAborted();
    const page = await readPage(url, pages, context);
    return { shown: await show(page, extracting) };
  } catch (thrown) {
    const isOwnText = thrown instanceof ToolFailure && thrown.isOwnText;
    const fault = `Could not read ${shorten(url, MAX_TITLE)}: ${errorMessage(thrown)}${await adviseLocal(url, context)}`;
    return { fault, isOwnText };
  }
}

/**
 * Returns advice for a local URL that the model itself gave. A redirect gets none, because it must not lead the model
 * to fetch something from this machine.
 */
async function adviseLocal(url: string, { services, tools }: ToolContext): Promise<string> {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
  const isLocal = host === 'localhost' || kindOfAddress(host) === 'loopback';
  if (!isLocal || services.webPages?.allowPrivate || !(await tools.names()).includes('terminal')) return '';
  return ' To reach a server on this machine, use curl in terminal.';
}

async function show(page: ReadPage, extracting: Extracting): Promise<string> {
  const title = shorten(page.title, MAX_TITLE);
  const head = [title === '' ? '' : `# ${title}`, page.url, page.note === undefined ? '' : `(${page.note})`];
  return `${head.filter((line) => line !== '').join('\n')}\n\n${await fit(page, extracting)}`;
}

/** Summarises a long text if a model is configured for it, and truncates it otherwise. */
async function fit({ text, url }: ReadPage, { limit, pages, context }: Extracting): Promise<string> {
  if (text.length <= limit) return text;
  const where = describeFullText(await saveFullText(text, context));
  const summary = await summarise(text, url, pages, context);
  if (summary === undefined) return joinTruncated(splitMiddle(text, limit), where);
  return `(summary of ${text.length} characters. ${where})\n\n${joinTruncated(splitMiddle(summary, limit))}`;
}

/** If the summary fails, the text is truncated instead. */
async function summarise(
  text: string,
  url: string,
  pages: WebPages,
  context: ToolContext,
): Promise<string | undefined> {
  if (pages.summarise === undefined) return undefined;
  const { signal, sessionId, taskId, logger } = context;
  try {
    return await pages.summarise(text, { signal, sessionId, taskId });
  } catch (thrown) {
    signal.throwIfAborted();
    logger.warn('could not summarise a web page', { url, error: errorMessage(thrown) });
    return undefined;
  }
}

const TIMEOUT_MS = 60_000;

type Reading = Pick<ToolContext, 'signal' | 'logger'>;

/** Reads a page with the configured service, or fetches it directly if there is none or it fails. */
export async function readPage(
  url: string,
  { service, allowPrivate, isBlocked }: WebPages,
  { signal, logger }: Reading,
  fetchOwn: typeof fetchPage = fetchPage,
): Promise<ReadPage> {
  if (service !== undefined && (await isPublic(url, isBlocked))) {
    try {
      return await readThrough(service, url, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      logger.warn('extraction service failed', { service: service.backend, url, error: errorMessage(thrown) });
    }
  }
  return fetchOwn(url, { signal, allowPrivate, ...(isBlocked && { isBlocked }) });
}

/**
 * Whether a URL may be sent to a service. Stricter than the check before fetching: private host names are never sent.
 */
function isPublic(url: string, isBlocked: WebPages['isBlocked']): Promise<boolean> {
  return checkUrl(url, { isBlocked }).then(
    () => true,
    () => false,
  );
}

async function readThrough({ backend, key, url: location }: WebExtractService, url: string, signal: AbortSignal) {
  const service = PAGE_SERVICES[backend];
  const body = await callService(service, { url: location }, service.request(url, key), {
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  const page = service.parse(new TextDecoder().decode(body));
  if (page === undefined) throw new ToolFailure(`The response of ${service.name} contains no page text.`);
  return {
    ...page,
    url: new URL(url).href,
    text: takeStart(page.text, MAX_TEXT_LENGTH),
    note: `extracted by ${service.name}`,
  };
}
