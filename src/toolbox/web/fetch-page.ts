import type { Worker } from 'node:worker_threads';
import { ToolFailure } from '../../tools/index.ts';
import { type FetchOptions, safeFetch } from '../../tools/safe-fetch/index.ts';
import { takeStart } from '../../util/index.ts';
import { announcedEncoding, isBinary, isPdf } from '../text/encoding.ts';

/** More of a page is neither read nor kept. */
export const MOST_TEXT = 2_000_000;

const HEADERS = {
  accept: 'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf;q=0.9, */*;q=0.5',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; hermes-agent)',
};

/** A page as text, with where it came from. */
export type ReadPage = PageText & { url: string };

/** Fetches a page and turns it into text. */
export async function fetchPage(address: string, options: FetchOptions): Promise<ReadPage> {
  const { url, status, headers, body, cut } = await safeFetch(address, { headers: HEADERS, ...options });
  if (status >= 400) throw new ToolFailure(`the server answered with status ${status}`);
  const contentType = String(headers['content-type'] ?? '');
  const page = await readBody({ url, body, contentType, cut }, options.signal);
  if (page.text.trim() === '') {
    throw new ToolFailure('there is no text on it; perhaps it is put together by scripts');
  }
  const notes = [page.note, cut ? 'the server had more than was read' : undefined].filter((note) => note !== undefined);
  return { ...page, url, text: takeStart(page.text, MOST_TEXT), note: notes.join('; ') || undefined };
}

type Body = { url: string; body: Uint8Array; contentType: string; cut: boolean };

async function readBody({ url, body, contentType, cut }: Body, signal: AbortSignal): Promise<PageText> {
  const kind = kindOfPage(body, contentType);
  if (kind === 'binary') {
    throw new ToolFailure(
      `it is no text${contentType === '' ? '' : ` (its server says ${contentType.slice(0, 100)})`}`,
    );
  }
  if (kind === 'text') return { title: '', text: decodePage(body, contentType) };
  if (kind === 'html') return readInWorker({ kind, html: decodePage(body, contentType), url }, signal);
  // What a PDF file needs to be read stands at its end.
  if (cut) throw new ToolFailure(`it is a PDF file of more than ${Math.floor(body.length / 1024 / 1024)} MB`);
  return readInWorker({ kind, body }, signal);
}

type PageKind = 'html' | 'pdf' | 'text' | 'binary';

const PROBE = 1024;
/** Types whose text is shown as it is, also where it is full of tags. */
const PLAIN = /^(?:text\/(?!html)|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript)\b(?!\+))/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)/;
const HTML_BEGINNING = /^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i;

/** What a page is. Servers are wrong about it often enough, so its bytes count before what they say. */
export function kindOfPage(body: Uint8Array, contentType: string): PageKind {
  if (isPdf(body)) return 'pdf';
  if (isBinary(body) && announcedEncoding(body) === undefined) return 'binary';
  const type = contentType.trim().toLowerCase();
  if (HTML.test(type)) return 'html';
  if (PLAIN.test(type)) return 'text';
  return HTML_BEGINNING.test(new TextDecoder('latin1').decode(body.subarray(0, PROBE))) ? 'html' : 'text';
}

/** The text of a page in the encoding that it, or its server, says it has; UTF-8 without a word about it. */
export function decodePage(body: Uint8Array, contentType: string): string {
  const head = new TextDecoder('latin1').decode(body.subarray(0, PROBE));
  const said = /charset\s*=\s*["']?([\w.:-]{1,40})/i;
  const name = announcedEncoding(body) ?? said.exec(contentType)?.[1] ?? metaCharset(head, said);
  return decoderFor(name).decode(body);
}

function metaCharset(head: string, said: RegExp): string | undefined {
  const tag = /<meta\b[^>]{0,200}charset[^>]{0,100}>/i.exec(head)?.[0];
  return tag === undefined ? undefined : said.exec(tag)?.[1];
}

/** Names that nobody knows stand for nothing. */
function decoderFor(name = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder();
  }
}

declare const HERMES_PAGE_WORKER: string | undefined;

/** Beside this file: the source, or what the build made of it. */
const ENTRY = typeof HERMES_PAGE_WORKER === 'string' ? HERMES_PAGE_WORKER : './page-worker.ts';

const TIME_LIMIT_MS = 30_000;
const MEMORY_MB = 768;
/**
 * By so much the whole program may grow meanwhile. What a PDF file unfolds lies outside of the memory that a thread can be
 * limited to, and three million bytes can unfold into three thousand million.
 */
const GROWTH_BYTES = 1200 * 1024 * 1024;
const LOOK_EVERY_MS = 50;

type ReadingLimits = { timeMs?: number; growthBytes?: number };

/**
 * Turns a page into text in a thread of its own: a large page takes seconds, a nasty one for ever or all memory, and
 * neither may hold up or end anything else.
 */
export async function readInWorker(
  order: PageOrder,
  signal: AbortSignal,
  { timeMs = TIME_LIMIT_MS, growthBytes = GROWTH_BYTES }: ReadingLimits = {},
): Promise<PageText> {
  signal.throwIfAborted();
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(new URL(ENTRY, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    // What packages say is for nobody here.
    stdout: true,
    stderr: true,
  });
  const timeLimit = AbortSignal.timeout(timeMs);
  const memory = watchMemory(growthBytes);
  try {
    const answer = await answerOf(worker, AbortSignal.any([signal, timeLimit, memory.limit]));
    if ('page' in answer) return answer.page;
    throw new ToolFailure(`it could not be turned into text: ${answer.fault}`);
  } catch (thrown) {
    signal.throwIfAborted();
    if (timeLimit.aborted) throw new ToolFailure('it took too long to turn it into text');
    throw thrown;
  } finally {
    memory.stop();
    await worker.terminate();
  }
}

/** A signal that comes when the program has grown too much. */
function watchMemory(growthBytes: number): { limit: AbortSignal; stop(): void } {
  const grown = new AbortController();
  const most = process.memoryUsage.rss() + growthBytes;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() > most) grown.abort(new ToolFailure('it unfolds into more than can be read'));
  }, LOOK_EVERY_MS);
  return { limit: grown.signal, stop: () => clearInterval(timer) };
}

function answerOf(worker: Worker, signal: AbortSignal): Promise<PageAnswer> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', () => reject(new ToolFailure('it is too large or too deep to be turned into text')));
    worker.once('exit', () => reject(new ToolFailure('nothing came of turning it into text')));
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** What a page is turned into. */
export type PageText = { title: string; text: string; note?: string | undefined };

/** What the worker is to do: HTML as text, with the address its links are relative to, or the bytes of a PDF file. */
export type PageOrder = { kind: 'html'; html: string; url: string } | { kind: 'pdf'; body: Uint8Array };
export type PageAnswer = { page: PageText } | { fault: string };
