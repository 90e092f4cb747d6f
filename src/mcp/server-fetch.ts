import {
  createHttpTransport,
  type HttpResponse,
  type HttpTransport,
  type NetworkVariables,
  type TlsOptions,
} from '../llm/index.ts';
import { createByteCounter } from './message-limit.ts';
import type { ServerFailure } from './server-failure.ts';

export type ServerFetch = {
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Closes all connections. */
  close(): void;
};

export type ServerFetchOptions = {
  onFlood?: (reason: ServerFailure) => void;
  /** The TLS settings apply only to this host, because the login server is often another one. */
  host?: string;
  tls?: TlsOptions | undefined;
};

/** An event stream may be idle for any length of time; requests have their own timeout. */
const NO_STALL_MS = 2 ** 31 - 1;

/**
 * A `fetch` on top of the HTTP transport for models, so that the same proxies and certificates apply. It can close
 * all connections, and it limits the size of responses.
 */
export function createServerFetch(
  serverName: string,
  variables: NetworkVariables,
  { onFlood = () => undefined, host, tls }: ServerFetchOptions = {},
): ServerFetch {
  const others = createHttpTransport(variables);
  const own = tls && createHttpTransport(variables, tls);
  const transportFor = (url: string) => (own !== undefined && new URL(url).host === host ? own : others);
  const closing = new AbortController();
  const counterFor = (isEventStream: boolean) => {
    const count = createByteCounter(serverName, isEventStream);
    return (chunk: Uint8Array) => {
      try {
        count(chunk);
      } catch (thrown) {
        // `onFlood` reports the failure, because the reader of an event stream would treat the error as an
        // interruption and wait.
        onFlood(thrown as ServerFailure);
        throw thrown;
      }
    };
  };
  return {
    fetch: (url, init) => send(transportFor(String(url)), counterFor, String(url), init, closing.signal),
    close() {
      closing.abort(new Error('the connection was closed'));
      others.close();
      own?.close();
    },
  };
}

async function send(
  transport: HttpTransport,
  counterFor: (isEventStream: boolean) => (chunk: Uint8Array) => void,
  url: string,
  init: RequestInit = {},
  closing: AbortSignal,
): Promise<Response> {
  const signal = init.signal ? AbortSignal.any([init.signal, closing]) : closing;
  const answer = await transport.send({
    method: (init.method ?? 'GET') as 'GET' | 'POST' | 'DELETE',
    url,
    headers: { 'user-agent': 'hermes-agent-ts', ...Object.fromEntries(new Headers(init.headers)) },
    body: bodyOf(init.body),
    authHeader: 'bearer',
    stallTimeoutMs: NO_STALL_MS,
    signal,
  });
  const { status, headers } = answer;
  const given = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  // `new Response` rejects a body for these status codes.
  if ([204, 205, 304].includes(status)) {
    await answer.release(true);
    return new Response(null, { status, headers: given });
  }
  const count = counterFor((headers['content-type'] ?? '').startsWith('text/event-stream'));
  return new Response(limitStream(answer, count), { status, headers: given });
}

function bodyOf(body: RequestInit['body']): string {
  if (typeof body === 'string') return body;
  return body instanceof URLSearchParams ? body.toString() : '';
}

/** Passes bytes through until a message is too large. */
function limitStream(answer: HttpResponse, count: (chunk: Uint8Array) => void): ReadableStream<Uint8Array> {
  const chunks = answer.body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await chunks.next();
        if (done) {
          controller.close();
          await answer.release(true);
          return;
        }
        count(value);
        controller.enqueue(value);
      } catch (thrown) {
        await answer.release(false);
        throw thrown;
      }
    },
    async cancel() {
      await answer.release(false);
      await chunks.return?.(undefined);
    },
  });
}
