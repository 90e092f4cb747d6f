import { errorMessage } from '../../base/index.ts';
import type { ToolContext, WebPages } from '../../contracts/index.ts';
import { keepWhole, ToolFailure, whereWhole } from '../../tools/index.ts';
import { createSemaphore, joinCut, shorten, splitMiddle } from '../../util/index.ts';
import type { WebExtractArguments } from '../web-extract.ts';
import type { ReadPage } from './fetch-page.ts';
import { readPage } from './read-page.ts';

/** Turning a page into text takes a core. */
const AT_ONCE = 2;
const MAX_TITLE = 300;
/** Room for what stands around a text: its title, address, notes and the notice of a cut. */
const FRAME = 1500;

type Extracting = { limit: number; pages: WebPages; context: ToolContext };

/** Reads pages; one that cannot be read says so in its place, and only where none can is that a failure. */
export async function extractPages(args: WebExtractArguments, context: ToolContext): Promise<string> {
  const pages = context.services.webPages;
  if (pages === undefined) throw new ToolFailure('Pages cannot be fetched here.');
  const urls = [...new Set(args.urls.map((url) => url.trim()))];
  const room = Math.max(1000, Math.floor(context.maxResultCharacters / urls.length) - FRAME);
  const extracting = { limit: Math.min(args.char_limit, room), pages, context };
  const turns = createSemaphore(AT_ONCE);
  const read = await Promise.all(urls.map((url) => turns.use(() => extractPage(url, extracting))));
  context.signal.throwIfAborted();
  const faults = read.filter((page) => 'fault' in page);
  if (faults.length === read.length) throw new ToolFailure(faults.map(({ fault }) => fault).join('\n'));
  return read.map((page) => ('fault' in page ? page.fault : page.shown)).join('\n\n\n');
}

async function extractPage(url: string, extracting: Extracting): Promise<{ shown: string } | { fault: string }> {
  const { pages, context } = extracting;
  try {
    context.signal.throwIfAborted();
    const page = await readPage(url, pages, context);
    return { shown: await show(page, extracting) };
  } catch (thrown) {
    return { fault: `${shorten(url, MAX_TITLE)} was not read: ${errorMessage(thrown)}` };
  }
}

async function show(page: ReadPage, extracting: Extracting): Promise<string> {
  const title = shorten(page.title, MAX_TITLE);
  const head = [title === '' ? '' : `# ${title}`, page.url, page.note === undefined ? '' : `(${page.note})`];
  return `${head.filter((line) => line !== '').join('\n')}\n\n${await fit(page, extracting)}`;
}

/** A text that is too long in short where a model does that, and else its beginning and its end. */
async function fit({ text, url }: ReadPage, { limit, pages, context }: Extracting): Promise<string> {
  if (text.length <= limit) return text;
  const where = whereWhole(await keepWhole(text, context));
  const summary = await summarise(text, url, pages, context);
  if (summary === undefined) return joinCut(splitMiddle(text, limit), where);
  return `(a summary of ${text.length} characters. ${where})\n\n${joinCut(splitMiddle(summary, limit))}`;
}

/** Nothing is lost where it fails: the text is still there. */
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
    logger.warn('a page could not be summarised', { url, error: errorMessage(thrown) });
    return undefined;
  }
}
