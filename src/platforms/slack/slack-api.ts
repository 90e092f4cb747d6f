import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api';
import type { JsonObject } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';
import { rememberSecrets } from '../../util/index.ts';
import { faultOfStatus, type HttpClient, type HttpReply, toNetworkError } from '../http/index.ts';
import { textAt } from '../json-fields.ts';
import { faultOfError } from './faults.ts';

export type SlackApiOptions = {
  token: string;
  /** The setting that the token comes from, for messages. */
  setting: string;
  /** The URL before the names of methods, such as `https://slack.com/api/`. */
  baseUrl: string;
  client: HttpClient;
  timeouts: { callMs: number; uploadMs: number; transferMs: number };
};

export type CallOptions = {
  signal: AbortSignal;
  /** Doing it twice is the same as doing it once, so that a failure is never `uncertain`. */
  isRepeatable?: boolean;
};

/** The Web API with one token. All failures are `ChannelError`s whose messages do not contain the token. */
export interface SlackApi {
  call(method: string, parameters: JsonObject, options: CallOptions): Promise<JsonObject>;
  /** Sends the bytes of a file to the URL that Slack has named. */
  upload(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  download(url: string, options: { maxBytes: number; signal: AbortSignal }): Promise<HttpReply>;
}

type Fetch = NonNullable<WebClientOptions['fetch']>;

const MAX_RESPONSE = 16 * 1024 * 1024;
const TOKEN = /^(?:xox[a-z]?[-.]|xapp-)[\w.-]{6,400}$/;

export function createSlackApi(options: SlackApiOptions): SlackApi {
  const { token, baseUrl, client, timeouts } = options;
  rememberSecrets([token]);
  return {
    async call(method, parameters, { signal, isRepeatable = false }) {
      requireToken(options);
      // A client has no signal for a single call. It is a plain object that opens no connection, so each call has its own.
      const caller = new WebClient(token, {
        slackApiUrl: baseUrl,
        fetch: createFetch(client, timeouts, signal),
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        logger: SILENT,
      });
      try {
        return (await caller.apiCall(method, parameters)) as unknown as JsonObject;
      } catch (error) {
        throw toChannelError(method, error, isRepeatable);
      }
    },
    async upload(url, bytes, signal) {
      requireSlackHost(url, baseUrl);
      const request = { method: 'POST' as const, url, body: bytes, silenceMs: timeouts.uploadMs, signal };
      const headers = { 'content-type': 'application/octet-stream' };
      const timeoutMs = timeouts.uploadMs + timeouts.transferMs;
      const reply = await client.send({ ...request, headers, timeoutMs, maxBytes: MAX_RESPONSE }).catch((error) => {
        throw toNetworkError('Slack: the upload of a file', error, true);
      });
      if (reply.status === 200) return;
      const fault = faultOfStatus(reply.status, true);
      throw new ChannelError(fault, `Slack: the upload of a file failed with HTTP ${reply.status}.`);
    },
    async download(url, { maxBytes, signal }) {
      requireToken(options);
      requireSlackHost(url, baseUrl);
      const headers = { authorization: `Bearer ${token}` };
      const request = {
        method: 'GET' as const,
        url,
        headers,
        silenceMs: timeouts.callMs,
        timeoutMs: timeouts.uploadMs,
      };
      return client.send({ ...request, maxBytes, signal }).catch((error) => {
        throw toNetworkError('Slack: the download of a file', error, true);
      });
    },
  };
}

/** Slack's own hosts, and the host of the API if it is configured. No other host gets a token or a file. */
export function isSlackHost(url: string, baseUrl: string): boolean {
  const [target, base] = [URL.parse(url.replace(/^ws/, 'http')), new URL(baseUrl)];
  if (target === null) return false;
  if (target.host === base.host) return target.protocol === base.protocol;
  return target.protocol === 'https:' && /(?:^|\.)slack(?:-gov)?\.com$/.test(target.hostname) && target.port === '';
}

function requireSlackHost(url: string, baseUrl: string): void {
  if (isSlackHost(url, baseUrl)) return;
  throw new ChannelError('rejected', `Slack named a URL on another host: ${URL.parse(url)?.host ?? 'invalid'}.`);
}

function requireToken({ token, setting }: SlackApiOptions): void {
  if (TOKEN.test(token)) return;
  throw new ChannelError('fatal', `A token in ${setting} is not valid.`, {
    hint: 'Bot tokens start with xoxb-, app-level tokens with xapp-. Copy them from https://api.slack.com/apps.',
  });
}

/** The package would use the built-in `fetch`, which ignores our proxies and certificates and needs 20 MB. */
function createFetch(client: HttpClient, { callMs, transferMs }: SlackApiOptions['timeouts'], signal: AbortSignal) {
  const send = async (url: string, init: { headers: Record<string, string>; body: string }) => {
    const { headers, body } = init;
    const limits = { silenceMs: callMs, timeoutMs: callMs + transferMs, maxBytes: MAX_RESPONSE };
    return toResponse(await client.send({ method: 'POST', url, headers, body, ...limits, signal }));
  };
  return send as unknown as Fetch;
}

/** What the package reads of a response. */
function toResponse({ status, headers, body }: HttpReply) {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const known = new Map(entries);
  return {
    status,
    statusText: '',
    url: '',
    headers: { get: (name: string) => known.get(name) ?? null, entries: () => entries },
    text: () => Promise.resolve(body.toString('utf8')),
  };
}

type SilentLogger = NonNullable<WebClientOptions['logger']>;
const ignore = () => undefined;
/** Failures are reported by errors. */
const SILENT: SilentLogger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  setLevel: ignore,
  setName: ignore,
  getLevel: () => 'error' as ReturnType<SilentLogger['getLevel']>,
};

function toChannelError(method: string, error: unknown, isRepeatable: boolean): unknown {
  if (error instanceof WebAPIRequestError) return toNetworkError(`Slack: ${method}`, error.original, isRepeatable);
  if (error instanceof WebAPIPlatformError)
    return answeredError(method, error.data as unknown as JsonObject, isRepeatable);
  if (error instanceof WebAPIHTTPError) {
    const fault = faultOfStatus(error.statusCode, isRepeatable);
    return new ChannelError(fault, `Slack: ${method}: HTTP ${error.statusCode}.`);
  }
  const message = `Slack: ${method}: too many requests.`;
  if (error instanceof WebAPIRateLimitedError) {
    return new ChannelError('rate_limited', message, { retryAfterMs: error.retryAfter * 1000 });
  }
  // The package has no class for a rate limit without a time.
  const isRateLimit = error instanceof Error && error.message.startsWith('Retry header did not contain');
  return isRateLimit ? new ChannelError('rate_limited', message) : error;
}

function answeredError(method: string, answer: JsonObject, isRepeatable: boolean): ChannelError {
  const error = textAt(answer, 'error') ?? '';
  // The package returns a response that is not JSON as an error with this text.
  if (!/^[a-z0-9_]{1,80}$/.test(error)) {
    const fault = isRepeatable ? 'transient' : 'uncertain';
    return new ChannelError(fault, `Slack: the response to ${method} is not valid.`);
  }
  return new ChannelError(faultOfError(error, isRepeatable), `Slack: ${method}: ${error}`, explain(error, answer));
}

function explain(error: string, answer: JsonObject): { hint?: string } {
  if (error === 'missing_scope') {
    return { hint: `Add the scope ${textAt(answer, 'needed') ?? ''} to the Slack app, and install it again.` };
  }
  const isToken = faultOfError(error, true) === 'fatal';
  return isToken ? { hint: 'The token was revoked or is wrong. Copy it again from https://api.slack.com/apps.' } : {};
}
