import {
  createHttpTransport,
  type HttpResponse,
  type HttpTransport,
  type NetworkVariables,
  type TlsChoices,
} from '../llm/index.ts';
import { createByteCount } from './message-limit.ts';
import type { ServerFailure } from './server-failure.ts';

export type ServerFetch = {
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Closes all connections. */
  close(): void;
};

export type ServerFetchOptions = {
  onFlood?: (reason: ServerFailure) => void;
  /** What is said about certificates holds for this host alone: logins are often made at another. */
  host?: string;
  tls?: TlsChoices | undefined;
};

/** Streams of events may be silent for as long as they like; whoever waits for an answer has a limit of its own. */
const NO_STALL_MS = 2 ** 31 - 1;

/**
 * A `fetch` over the transport that models are reached by, so that proxies and certificates are the same, nothing of it
 * stays open, and no answer is larger than a message may be.
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
    const count = createByteCount(serverName, isEventStream);
    return (chunk: Uint8Array) => {
      try {
        count(chunk);
      } catch (thrown) {
        // Whoever reads a stream of events would take this for a pause, and wait.
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
  // A body has no place in these, and giving one is an error.
  if ([204, 205, 304].includes(status)) {
    await answer.release(true);
    return new Response(null, { status, headers: given });
  }
  const count = counterFor((headers['content-type'] ?? '').startsWith('text/event-stream'));
  return new Response(limited(answer, count), { status, headers: given });
}

function bodyOf(body: RequestInit['body']): string {
  if (typeof body === 'string') return body;
  return body instanceof URLSearchParams ? body.toString() : '';
}

/** The bytes as they are asked for, until one message is too large. */
function limited(answer: HttpResponse, count: (chunk: Uint8Array) => void): ReadableStream<Uint8Array> {
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
