import type { Worker } from 'node:worker_threads';
import { QuotingFailure, ToolFailure } from '../../tools/index.ts';
import { type FetchOptions, safeFetch } from '../../tools/safe-fetch/index.ts';
import { takeStart } from '../../util/index.ts';
import { announcedEncoding, isBinary, isPdf } from '../text/encoding.ts';

/** Maximum length of the text of a page. */
export const MAX_TEXT_LENGTH = 2_000_000;

const HEADERS = {
  accept: 'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf;q=0.9, */*;q=0.5',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; hermes-agent)',
};

/** The text of a page and its final URL. */
export type ReadPage = PageText & { url: string };

/** Fetches a page and converts it to text. */
export async function fetchPage(address: string, options: FetchOptions): Promise<ReadPage> {
  const { url, status, headers, body, cut } = await safeFetch(address, { headers: HEADERS, ...options });
  if (status >= 400) throw new ToolFailure(`the server returned status ${status}`);
  const contentType = String(headers['content-type'] ?? '');
  const page = await readBody({ url, body, contentType, cut }, options.signal);
  if (page.text.trim() === '') {
    throw new ToolFailure('the page contains no text; it may be rendered by JavaScript');
  }
  const notes = [page.note, cut ? 'the page was too large and was truncated' : undefined].filter(
    (note) => note !== undefined,
  );
  return { ...page, url, text: takeStart(page.text, MAX_TEXT_LENGTH), note: notes.join('; ') || undefined };
}

type Body = { url: string; body: Uint8Array; contentType: string; cut: boolean };

async function readBody({ url, body, contentType, cut }: Body, signal: AbortSignal): Promise<PageText> {
  const kind = kindOfPage(body, contentType);
  if (kind === 'binary') {
    throw new QuotingFailure(
      `the page is not text${contentType === '' ? '' : ` (content type ${contentType.slice(0, 100)})`}`,
    );
  }
  if (kind === 'text') return { title: '', text: decodePage(body, contentType) };
  if (kind === 'html') return readInWorker({ kind, html: decodePage(body, contentType), url }, signal);
  // A truncated PDF is unreadable, because its index is at the end.
  if (cut) throw new ToolFailure(`the PDF file exceeds ${Math.floor(body.length / 1024 / 1024)} MB`);
  return readInWorker({ kind, body }, signal);
}

type PageKind = 'html' | 'pdf' | 'text' | 'binary';

const PROBE = 1024;
/** Media types that are shown verbatim, even if they contain tags. */
const PLAIN = /^(?:text\/(?!html)|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript)\b(?!\+))/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)/;
const HTML_BEGINNING = /^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i;

/** Detects the kind of a page. Its bytes take precedence, because servers are often wrong. */
export function kindOfPage(body: Uint8Array, contentType: string): PageKind {
  if (isPdf(body)) return 'pdf';
  if (isBinary(body) && announcedEncoding(body) === undefined) return 'binary';
  const type = contentType.trim().toLowerCase();
  if (HTML.test(type)) return 'html';
  if (PLAIN.test(type)) return 'text';
  return HTML_BEGINNING.test(new TextDecoder('latin1').decode(body.subarray(0, PROBE))) ? 'html' : 'text';
}

/** Decodes a page with the declared encoding; the default is UTF-8. */
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

/** Unknown encoding names are ignored. */
function decoderFor(name = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder();
  }
}

declare const HERMES_PAGE_WORKER: string | undefined;

/** The worker script: the source file, or its bundle in a build. */
const ENTRY = typeof HERMES_PAGE_WORKER === 'string' ? HERMES_PAGE_WORKER : './page-worker.ts';

const TIME_LIMIT_MS = 30_000;
const MEMORY_MB = 768;
/**
 * How much the process may grow during a conversion. The memory limit of a worker does not cover decompressed PDF data,
 * and 3 MB can decompress to 3 GB.
 */
const GROWTH_BYTES = 1200 * 1024 * 1024;
const MEMORY_CHECK_MS = 50;

type ReadingLimits = { timeMs?: number; growthBytes?: number };

/**
 * Converts a page to text in a worker thread, because a large page takes seconds and a malicious one may hang or
 * exhaust memory.
 */
export async function readInWorker(
  order: PageConversion,
  signal: AbortSignal,
  { timeMs = TIME_LIMIT_MS, growthBytes = GROWTH_BYTES }: ReadingLimits = {},
): Promise<PageText> {
  signal.throwIfAborted();
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(new URL(ENTRY, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    // Discard the output of packages.
    stdout: true,
    stderr: true,
  });
  const timeLimit = AbortSignal.timeout(timeMs);
  const memory = watchMemory(growthBytes);
  try {
    const answer = await answerOf(worker, AbortSignal.any([signal, timeLimit, memory.limit]));
    if ('page' in answer) return answer.page;
    throw new QuotingFailure(`the page could not be converted to text: ${answer.fault}`);
  } catch (thrown) {
    signal.throwIfAborted();
    if (timeLimit.aborted) throw new ToolFailure('converting the page to text timed out');
    throw thrown;
  } finally {
    memory.stop();
    await worker.terminate();
  }
}

/** Aborts the returned signal when the process has grown by more than `growthBytes`. */
function watchMemory(growthBytes: number): { limit: AbortSignal; stop(): void } {
  const grown = new AbortController();
  const most = process.memoryUsage.rss() + growthBytes;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() > most)
      grown.abort(new ToolFailure('converting the page to text needs too much memory'));
  }, MEMORY_CHECK_MS);
  return { limit: grown.signal, stop: () => clearInterval(timer) };
}

function answerOf(worker: Worker, signal: AbortSignal): Promise<PageConversionResult> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', () =>
      reject(new ToolFailure('the page is too large or too deeply nested to be converted to text')),
    );
    worker.once('exit', () => reject(new ToolFailure('converting the page to text failed')));
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** The text of a converted page. */
export type PageText = { title: string; text: string; note?: string | undefined };

/** The input of the worker: HTML with its base URL, or the bytes of a PDF. */
export type PageConversion = { kind: 'html'; html: string; url: string } | { kind: 'pdf'; body: Uint8Array };
export type PageConversionResult = { page: PageText } | { fault: string };
