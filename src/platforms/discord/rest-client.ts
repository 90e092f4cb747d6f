import type { Agent } from 'node:http';
import { HermesError } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import { rememberSecrets } from '../../util/index.ts';
import { type HttpClient, type HttpReply, toNetworkError } from '../http/index.ts';
import { API, DiscordAPIError, HTTPError, RateLimitError, REST } from './discord-protocol.ts';
import { faultOf, readApiError } from './faults.ts';

export type RestOptions = {
  token: string;
  /** The URL before the version, such as `https://discord.com/api`. */
  baseUrl: string;
  client: HttpClient;
  timeouts: { callMs: number; uploadMs: number; transferMs: number };
};

export type CallOptions = {
  /** What is done, for error messages. */
  what: string;
  /** Doing it twice is the same as doing it once, so that a failure is never `uncertain`. */
  isRepeatable?: boolean;
};

/** The HTTP API. All failures are `ChannelError`s whose messages do not contain a token. */
export interface RestClient {
  call<Result>(options: CallOptions, run: (api: API) => Promise<Result>): Promise<Result>;
  /** Downloads a file from a host of Discord, without the token. */
  download(url: string, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array>;
  /** The agent for a connection to the gateway, with the same proxy and certificates. */
  agentFor(url: string): Promise<Agent>;
  close(): void;
}

const MAX_RESPONSE = 16 * 1024 * 1024;
/** A token cannot contain characters with a meaning in a header. */
const TOKEN = /^[\w.-]{30,200}$/;
/** The library has its own timeout for a request without a body; ours also cover the response. */
const LIBRARY_TIMEOUT_MS = 600_000;

/**
 * The packages of discord.js know the routes and their rate limits. They do not wait and do not retry: our scheduler
 * decides when a call is repeated. Requests are sent by our own client, because it knows whether one may have arrived.
 */
export function createRestClient({ token, baseUrl, client, timeouts }: RestOptions): RestClient {
  rememberSecrets([token]);
  const rest = new REST({
    api: baseUrl,
    version: '10',
    retries: 0,
    offset: 0,
    timeout: LIBRARY_TIMEOUT_MS,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    rejectOnRateLimit: () => true,
    makeRequest: (url, init) => send(client, timeouts, url, init),
  });
  const api = new API(rest);
  return {
    async call({ what, isRepeatable = false }, run) {
      if (!TOKEN.test(token)) throw invalidToken();
      // After HTTP 401 the library forgets the token.
      rest.setToken(token);
      try {
        return await run(api);
      } catch (error) {
        throw toChannelError(error, what, isRepeatable);
      }
    },
    async download(url, { maxBytes, signal }) {
      const host = URL.parse(url)?.hostname ?? '';
      if (!isFileHost(host, baseUrl)) throw new ChannelError('not_found', `Discord named an unknown host for a file.`);
      const times = { silenceMs: timeouts.callMs, timeoutMs: timeouts.uploadMs };
      const reply = await client.send({ method: 'GET', url, ...times, maxBytes, signal }).catch((error: unknown) => {
        throw toChannelError(error, 'the download of a file', true);
      });
      if (reply.status === 200) return reply.body;
      const fault = faultOf(reply.status, 0, true);
      throw new ChannelError(fault, `Discord: a file was not found (HTTP ${reply.status}).`);
    },
    agentFor: (url) =>
      client.agentFor(url).catch((error: unknown) => {
        throw toChannelError(error, 'connecting to the gateway', true);
      }),
    close() {
      rest.clearHandlerSweeper();
      rest.clearHashSweeper();
      client.close();
    },
  };
}

function invalidToken(): ChannelError {
  return new ChannelError('fatal', 'The Discord bot token is not valid.', {
    hint: 'Copy it again from the page “Bot” of your application at https://discord.com/developers/applications.',
  });
}

function isFileHost(host: string, baseUrl: string): boolean {
  return /(?:^|\.)(?:discordapp\.(?:com|net)|discord\.com)$/.test(host) || host === URL.parse(baseUrl)?.hostname;
}

type Request = Parameters<REST['options']['makeRequest']>[1];
type Response = Awaited<ReturnType<REST['options']['makeRequest']>>;

async function send(
  client: HttpClient,
  { callMs, uploadMs, transferMs }: RestOptions['timeouts'],
  url: string,
  { method, headers, body, signal }: Request,
): Promise<Response> {
  const isUpload = body !== null && typeof body === 'object';
  const encoded = isUpload ? await encodeForm(body) : undefined;
  const silenceMs = isUpload ? uploadMs : callMs;
  const reply = await client.send({
    method: method as 'GET',
    url,
    headers: { ...(headers as Record<string, string>), ...encoded?.headers },
    body: encoded?.bytes ?? (typeof body === 'string' ? body : ''),
    silenceMs,
    timeoutMs: silenceMs + transferMs,
    maxBytes: MAX_RESPONSE,
    signal: signal as AbortSignal,
  });
  return toResponse(reply);
}

/** The library describes a call with a file as a form, which is encoded by Node. */
async function encodeForm(body: object): Promise<{ bytes: Uint8Array; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [name, value] of body as Iterable<[string, string | File]>) form.append(name, value);
  const encoded = new globalThis.Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { bytes: new Uint8Array(await encoded.arrayBuffer()), headers };
}

function toResponse({ status, headers, body }: HttpReply): Response {
  const fields = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return {
    status,
    ok: status >= 200 && status < 300,
    statusText: String(status),
    headers: new Headers(fields),
    body: null,
    bodyUsed: true,
    arrayBuffer: () => Promise.resolve(new Uint8Array(body).buffer),
    text: () => Promise.resolve(body.toString('utf8')),
    json() {
      try {
        return Promise.resolve(JSON.parse(body.toString('utf8')) as unknown);
      } catch {
        return Promise.reject(new InvalidResponse(status));
      }
    },
  };
}

/** A response that is not valid JSON. */
class InvalidResponse extends Error {
  readonly status: number;

  constructor(status: number) {
    super('the response is not valid JSON');
    this.status = status;
  }
}

function toChannelError(error: unknown, what: string, isRepeatable: boolean): unknown {
  const unknownFault = isRepeatable ? 'transient' : 'uncertain';
  if (error instanceof ChannelError) return error;
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.max(1, error.retryAfter, error.sublimitTimeout, error.timeToReset);
    return new ChannelError('rate_limited', `Discord: ${what}: the rate limit was reached.`, { retryAfterMs });
  }
  if (error instanceof DiscordAPIError) {
    const { fault, message } = readApiError(error, isRepeatable);
    return fault === 'fatal' ? invalidToken() : new ChannelError(fault, `Discord: ${what}: ${message}`);
  }
  if (error instanceof HTTPError) {
    return new ChannelError(faultOf(error.status, 0, isRepeatable), `Discord: ${what}: HTTP ${error.status}.`);
  }
  if (error instanceof HermesError) return toNetworkError(`Discord: ${what}`, error, isRepeatable);
  if (error instanceof InvalidResponse) {
    const fault = error.status >= 400 ? faultOf(error.status, 0, isRepeatable) : unknownFault;
    return new ChannelError(fault, `Discord: ${what}: the response is not valid.`);
  }
  if (error instanceof Error && error.name === 'AbortError') {
    return new ChannelError('transient', `Discord: ${what}: aborted before it was sent.`);
  }
  return error;
}
