import { ModelError } from '../base/index.ts';
import type { Credential } from '../contracts/index.ts';
import { classifyFailure } from './failure/classify-failure.ts';
import { factsOfNetworkError } from './failure/network-failure.ts';
import { createHttpTransport } from './transport/http-transport.ts';
import { readText } from './transport/read-text.ts';

export type TextRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  credential?: Credential;
  timeoutMs: number;
  signal?: AbortSignal;
};

/** A token or a list of facts is far smaller. */
const LARGEST_ANSWER = 1024 * 1024;

/**
 * One request that is not a call to a model, over the same transport: credentials go only to their hosts, redirects are
 * not followed. Gives the answer whatever its status; throws a `ModelError` where there is none.
 */
export async function requestText(request: TextRequest): Promise<{ status: number; text: string }> {
  const transport = createHttpTransport();
  const { timeoutMs, body = '', signal: stop } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = stop === undefined ? timeout : AbortSignal.any([stop, timeout]);
  try {
    const response = await transport.send({
      ...request,
      body,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'hermes-agent-ts', ...request.headers },
      authHeader: 'bearer',
      stallTimeoutMs: timeoutMs,
      signal,
    });
    const { text } = await readText(response, LARGEST_ANSWER);
    return { status: response.status, text };
  } catch (thrown) {
    stop?.throwIfAborted();
    if (thrown instanceof ModelError) throw thrown;
    const { host } = new URL(request.url);
    const message = `${host} did not answer within ${timeoutMs / 1000} seconds.`;
    throw new ModelError(
      classifyFailure(timeout.aborted ? { kind: 'timeout', message } : factsOfNetworkError(thrown, host)),
    );
  } finally {
    transport.close();
  }
}
