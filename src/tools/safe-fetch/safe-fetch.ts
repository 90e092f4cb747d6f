import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { errorMessage } from '../../base/index.ts';
import { pinnedLookup } from '../../util/index.ts';
import { ToolFailure } from '../tool-stop.ts';
import { type CheckedUrl, checkUrl, type UrlRules } from './check-url.ts';

export type FetchOptions = UrlRules & {
  signal: AbortSignal;
  /** The user configured this URL, so its host may be on a private network. Redirect targets may not. */
  ownServer?: boolean;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Maximum size of the response body; the rest is discarded. */
  maxBytes?: number;
  /** Timeout of the whole fetch. */
  timeoutMs?: number;
};

export type FetchedPage = {
  /** The final URL after redirects. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
  /** The body was truncated. */
  cut: boolean;
};

const MAX_REDIRECTS = 5;
const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** Headers that are forwarded to another host. Credentials use many header names, so all others are dropped. */
const SAFE_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/**
 * Fetches a URL for a tool. The URL and every redirect are checked, and the connection is pinned to the checked
 * addresses, which defeats DNS rebinding.
 */
export async function safeFetch(address: string, options: FetchOptions): Promise<FetchedPage> {
  const timeLimit = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = AbortSignal.any([options.signal, timeLimit]);
  let checked = await checkUrl(address, rulesFor(address, address, options));
  let step: FetchOptions = { ...options, signal };
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await request(checked, step);
      const target = redirectTarget(answer, checked.url);
      if (target === undefined) return await readPage(checked.url, answer, step);
      answer.destroy();
      const next = await checkUrl(target, { ...rulesFor(target, address, options), mayHoldKey: false });
      step = followed(step, answer.statusCode ?? 0, checked.url, next.url);
      checked = next;
    }
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (timeLimit.aborted) throw new ToolFailure(`${checked.url.host} timed out.`);
    if (thrown instanceof ToolFailure) throw thrown;
    throw new ToolFailure(`Could not fetch from ${checked.url.host}: ${errorMessage(thrown)}.`);
  }
  throw new ToolFailure(`${checked.url.host}: too many redirects.`);
}

function rulesFor(target: string, address: string, { ownServer = false, ...rules }: FetchOptions): UrlRules {
  return ownServer && hostOf(target) === hostOf(address) ? { ...rules, allowPrivate: true } : rules;
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

function redirectTarget({ statusCode = 0, headers }: IncomingMessage, from: URL): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  return URL.canParse(headers.location, from) ? new URL(headers.location, from).href : headers.location;
}

/** The request to send to a redirect target. */
function followed(step: FetchOptions, status: number, from: URL, to: URL): FetchOptions {
  const headers = Object.entries(step.headers ?? {}).filter(
    ([name]) => from.origin === to.origin || SAFE_HEADERS.has(name.toLowerCase()),
  );
  const { body: _, method: __, ...plain } = step;
  const repeats = status === 307 || status === 308;
  return { ...(repeats ? step : plain), headers: Object.fromEntries(headers) };
}

async function request({ url, addresses }: CheckedUrl, options: FetchOptions): Promise<IncomingMessage> {
  const client = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = client.request(url, {
      method: options.method ?? 'GET',
      headers: { accept: '*/*', 'accept-encoding': 'gzip, deflate, br', ...options.headers },
      signal: options.signal,
      // A fresh connection that can reach only the checked addresses.
      agent: false,
      lookup: pinnedLookup(addresses),
    } satisfies RequestOptions);
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(options.body);
  });
}

async function readPage(url: URL, answer: IncomingMessage, options: FetchOptions): Promise<FetchedPage> {
  const { body, cut } = await readLimited(answer, options.maxBytes ?? MAX_BYTES);
  return { url: url.href, status: answer.statusCode ?? 0, headers: answer.headers, body, cut };
}

/** Reads a decompressed body up to a limit. The limit counts decompressed bytes because of compression bombs. */
async function readLimited(answer: IncomingMessage, maxBytes: number): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let left = maxBytes;
  try {
    for await (const chunk of await unpacked(answer)) {
      const bytes = chunk as Uint8Array;
      chunks.push(bytes.subarray(0, left));
      left -= bytes.length;
      if (left < 0) break;
    }
    return { body: Buffer.concat(chunks), cut: left < 0 };
  } finally {
    answer.destroy();
  }
}

async function unpacked(answer: IncomingMessage): Promise<Readable> {
  const decoder = await decoderFor(answer.headers['content-encoding']?.trim().toLowerCase());
  if (decoder === undefined) return answer;
  const { pipeline } = await import('node:stream');
  // An error in either stream destroys both; the reader sees it.
  pipeline(answer, decoder, () => undefined);
  return decoder;
}

async function decoderFor(encoding: string | undefined): Promise<Transform | undefined> {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  return encoding === 'br' ? createBrotliDecompress() : createUnzip();
}
