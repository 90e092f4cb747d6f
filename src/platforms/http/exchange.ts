import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connector } from './http-client.ts';
import { errorMessage, HermesError } from '../../base/index.ts';
import { ChannelError } from '../../contracts/index.ts';

export type HttpExchange = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** The request fails after this long without data in either direction. */
  silenceMs: number;
  /** The request fails after this long, even if data arrives. */
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
};

export type HttpReply = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
};

/** One request and its complete response. */
export async function exchange(connector: Connector, request: HttpExchange): Promise<HttpReply> {
  if (request.signal.aborted) throw new HttpFailure('the request was aborted', { mayHaveArrived: false });
  const tunnel = connector.tunnels ? new AbortController() : undefined;
  const { body = '', headers } = request;
  const outgoing = connector.request(request.url, {
    method: request.method,
    agent: connector.agent,
    headers: request.method === 'GET' ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    // Not an option of Node, but Node passes unknown options on to `createConnection`.
    ...(tunnel && { tunnelSignal: tunnel.signal }),
  });
  const isWritten = watchWriting(outgoing);
  const limits = limitTime(outgoing, request, () => tunnel?.abort());
  try {
    const answered = waitForResponse(outgoing);
    outgoing.end(request.method === 'GET' ? undefined : body);
    const incoming = await answered;
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      body: await readBody(incoming, request.maxBytes, limits.touch),
    };
  } catch (error) {
    outgoing.destroy();
    throw new HttpFailure(limits.reason() ?? errorMessage(error), { mayHaveArrived: isWritten() });
  } finally {
    limits.stop();
  }
}

/** Whether any part of the request may have left this machine: a connection was established. */
function watchWriting(outgoing: ClientRequest): () => boolean {
  let written = false;
  const onWritten = () => (written = true);
  outgoing.once('socket', (socket: Socket) => {
    if (outgoing.reusedSocket) onWritten();
    else if ('encrypted' in socket) socket.once('secureConnect', onWritten);
    else if (socket.connecting) socket.once('connect', onWritten);
    else onWritten();
  });
  return () => written;
}

export function waitForResponse(outgoing: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.once('response', resolve);
  // Also after the response, where the error reaches the reader of the body.
  outgoing.on('error', reject);
  outgoing.once('upgrade', (_response, socket) => {
    socket.destroy();
    reject(new Error('the server responded with HTTP 101, which is not supported'));
  });
  outgoing.once('close', () => reject(new Error('the connection was closed without a response')));
  return promise;
}

async function readBody(incoming: IncomingMessage, maxBytes: number, touch: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    touch();
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
  }
  if (!incoming.complete) throw new Error('the connection was closed in the middle of the response');
  return Buffer.concat(chunks);
}

type TimeLimits = {
  touch(): void;
  /** Why the request was ended, if a limit or the signal ended it. */
  reason(): string | undefined;
  stop(): void;
};

function limitTime(
  outgoing: ClientRequest,
  { silenceMs, timeoutMs, signal }: Pick<HttpExchange, 'silenceMs' | 'timeoutMs' | 'signal'>,
  onEnd: () => void,
): TimeLimits {
  let ending: string | undefined;
  const end = (reason: string) => {
    ending ??= reason;
    // Closes the socket without waiting for the server, which may be gone.
    outgoing.destroy();
    onEnd();
  };
  const silence = setTimeout(() => end(`no data for ${silenceMs / 1000} s`), silenceMs);
  const total = setTimeout(() => end(`timed out after ${timeoutMs / 1000} s`), timeoutMs);
  const onAbort = () => end('the request was aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  outgoing.once('finish', () => silence.refresh());
  return {
    touch: () => void silence.refresh(),
    reason: () => ending,
    stop() {
      clearTimeout(silence);
      clearTimeout(total);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** A request without a complete response. */
export class HttpFailure extends HermesError {
  /** Whether the server may have received the request. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { mayHaveArrived: boolean; hint?: string }) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/**
 * The `ChannelError` of a request that failed before there was a response. `what` names the platform and the call.
 * `isRepeatable`: doing it twice is the same as doing it once.
 */
export function toNetworkError(what: string, error: unknown, isRepeatable: boolean): unknown {
  if (!(error instanceof HermesError) || error instanceof ChannelError) return error;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  // A proxy or a file with certificates that is configured wrongly.
  if (!(error instanceof HttpFailure)) return new ChannelError('fatal', error.message, hint);
  const fault = error.mayHaveArrived && !isRepeatable ? 'uncertain' : 'transient';
  return new ChannelError(fault, `${what} failed: ${error.message}.`, hint);
}
