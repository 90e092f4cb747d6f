import { type FetchOptions, safeFetch } from '../../tools/safe-fetch/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { takeStart } from '../../util/index.ts';
import { decodePage, kindOfPage } from './page-kind.ts';
import type { PageText } from './page-order.ts';
import { readInWorker } from './read-in-worker.ts';

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
