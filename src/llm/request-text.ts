import { ModelError } from '../base/index.ts';
import type { AuthScheme, BoundOptions, Credential } from '../contracts/index.ts';
import { classifyFailure } from './failure/classify-failure.ts';
import { factsOfNetworkError, adviceFor } from './failure/failure-advice.ts';
import { readText } from './read-text.ts';
import { createHttpTransport } from './transport/http-transport.ts';
import type { NetworkVariables } from './transport/http-types.ts';

export type TextRequest = {
  method?: 'GET' | 'POST' | 'PUT';
  url: string;
  /** Lower-case names. */
  headers?: Readonly<Record<string, string>>;
  body?: string;
  credential?: Credential;
  authHeader?: AuthScheme;
  bound?: BoundOptions;
  /** Timeout for the whole request, not for each pause without data. */
  timeoutMs: number;
  /** Limit for the decompressed text. */
  maxBytes?: number;
  signal?: AbortSignal;
  variables?: NetworkVariables;
};

export type TextResponse = { status: number; text: string; header(name: string): string | undefined };

/** Default size limit for a response; tokens and model lists are far smaller. */
const MAX_ANSWER_SIZE = 1024 * 1024;

/**
 * Sends a request that is not a model call over the same transport: credentials go only to their hosts, redirects are
 * not followed. Returns the response with any status; throws a `ModelError` if there is none or it is too large.
 */
export async function requestText(request: TextRequest): Promise<TextResponse> {
  const { method = 'GET', url, credential, timeoutMs, body = '', signal: stop } = request;
  const transport = createHttpTransport(request.variables);
  const timeout = AbortSignal.timeout(timeoutMs);
  const headers = { 'accept-encoding': 'identity', 'user-agent': 'hermes-agent-ts', ...request.headers };
  const waiting = {
    stallTimeoutMs: timeoutMs,
    signal: stop === undefined ? timeout : AbortSignal.any([stop, timeout]),
  };
  const authHeader = request.authHeader ?? 'bearer';
  try {
    const response = await transport.send({
      method,
      url,
      headers,
      body,
      credential,
      authHeader,
      bound: request.bound,
      ...waiting,
    });
    const { text, cut } = await readText(response, request.maxBytes ?? MAX_ANSWER_SIZE);
    if (cut) throw tooLarge(url);
    return { status: response.status, text, header: (name) => response.headers[name] };
  } catch (thrown) {
    stop?.throwIfAborted();
    if (thrown instanceof ModelError) throw thrown;
    throw asModelError(thrown, request, timeout.aborted);
  } finally {
    transport.close();
  }
}

/** Like `requestText` for optional data: returns undefined on any failure. */
export async function getText(request: TextRequest): Promise<TextResponse | undefined> {
  const headers = { accept: 'application/json', ...request.headers };
  return requestText({ ...request, headers }).catch(() => undefined);
}

function asModelError(thrown: unknown, { url, timeoutMs }: TextRequest, timedOut: boolean): ModelError {
  const { host } = new URL(url);
  const message = `${host} did not respond within ${timeoutMs / 1000} s.`;
  const failure = classifyFailure(timedOut ? { kind: 'timeout', message } : factsOfNetworkError(thrown, host));
  return new ModelError(failure, { hint: adviceFor(failure) });
}

function tooLarge(url: string): ModelError {
  const message = `The response of ${new URL(url).host} is too large.`;
  return new ModelError(classifyFailure({ kind: 'invalid_response', message }));
}
