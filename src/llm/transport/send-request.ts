import type * as http from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ModelError } from '../../base/index.ts';
import { failureOfKind } from '../failure/kind-hints.ts';
import type { HttpRequest, HttpResponse } from './http-types.ts';
import { type StallTimer, createStallTimer } from './stall-timer.ts';

/** How http and https requests are made: the module's function and the agent with its connections. */
export type Connector = {
  request: typeof http.request;
  agent: http.Agent;
  /** Connections go through a proxy tunnel, which must be aborted together with the request. */
  tunnels?: true;
};

/** `deadConnection`: a reused connection was already closed, and the provider never saw the request. */
export type SendResult = { response: HttpResponse } | { error: unknown; deadConnection: boolean };

const DEAD_CODES: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

/** How long the rest of a response may take for its connection to be reused. */
const DRAIN_MS = 500;
/** How long the caller waits for the rest of a response, which usually arrives with the last event. */
const REUSE_WAIT_MS = 10;

export async function sendRequest(
  connector: Connector,
  request: HttpRequest,
  headers: Record<string, string>,
): Promise<SendResult> {
  const bytes = typeof request.body === 'string' ? Buffer.from(request.body) : encodeParts(request.body);
  const tunnel = connector.tunnels ? new AbortController() : undefined;
  const options = {
    method: request.method,
    agent: connector.agent,
    headers: request.method === 'GET' ? headers : { ...headers, 'content-length': String(bytes.byteLength) },
    // `tunnelSignal` is not an option of Node, but Node passes unknown options on to `createConnection`.
    ...(tunnel && { tunnelSignal: tunnel.signal }),
  };
  const outgoing = connector.request(request.url, options);
  const watch = createStallTimer(outgoing, request, request.signal, () => tunnel?.abort());
  const readSoFar = countReadBytes(outgoing);
  // Later errors are reported through the response body; without a listener they would crash the process.
  outgoing.on('error', () => {});
  outgoing.once('finish', () => {
    watch.touch();
    request.onSent?.();
  });
  const answered = waitForResponse(outgoing);
  outgoing.end(bytes);
  try {
    const incoming = await answered;
    watch.touch();
    return { response: toResponse(outgoing, incoming, watch) };
  } catch (error) {
    watch.stop();
    const reset = DEAD_CODES.includes((error as NodeJS.ErrnoException).code);
    const deadConnection = reset && outgoing.reusedSocket && readSoFar() === 0 && !watch.ended();
    return { error: watch.explain(error), deadConnection };
  }
}

/** The response headers. Every possible end of the request settles the promise. */
function waitForResponse(outgoing: http.ClientRequest): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  let isAnswered = false;
  outgoing.once('response', (incoming) => {
    isAnswered = true;
    resolve(incoming);
  });
  outgoing.once('error', reject);
  outgoing.once('upgrade', (_response, socket) => {
    socket.destroy();
    const message =
      'The endpoint responded with HTTP 101 (Switching Protocols), which is not supported. Check the base URL.';
    reject(new ModelError({ ...failureOfKind('invalid_response', message), status: 101 }));
  });
  outgoing.once('close', () => {
    // Every request is closed at some point, and creating an error is slow.
    if (isAnswered) return;
    reject(Object.assign(new Error('the connection was closed without a response'), { code: 'ECONNRESET' }));
  });
  return promise;
}

/** The number of bytes read from the socket for this request. */
function countReadBytes(outgoing: http.ClientRequest): () => number {
  let count = () => 0;
  outgoing.once('socket', (socket) => {
    const before = socket.bytesRead;
    count = () => socket.bytesRead - before;
  });
  return () => count();
}

function toResponse(outgoing: http.ClientRequest, incoming: http.IncomingMessage, watch: StallTimer): HttpResponse {
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers as HttpResponse['headers'],
    body: readBody(incoming, watch),
    touchContent: watch.touchContent,
    endWithin: watch.endWithin,
    release(reuse) {
      watch.stop();
      if (incoming.readableEnded || incoming.destroyed) return Promise.resolve();
      if (reuse) return drain(outgoing, incoming);
      outgoing.destroy();
      return Promise.resolve();
    },
  };
}

/**
 * Discards the rest of a response so that the connection becomes free; closes the connection if that takes too long.
 */
function drain(outgoing: http.ClientRequest, incoming: http.IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Without timers if the rest has already arrived, which is the usual case.
  const reuseWait = incoming.complete ? undefined : setTimeout(resolve, REUSE_WAIT_MS);
  const limit = incoming.complete ? undefined : setTimeout(() => outgoing.destroy(), DRAIN_MS).unref();
  incoming.once('close', () => {
    clearTimeout(reuseWait);
    clearTimeout(limit);
    resolve();
  });
  // Errors in discarded data are ignored.
  incoming.on('error', () => {}).resume();
  return promise;
}

/** The decompressed bytes of a response; throws an error that explains an early end. */
async function* readBody(incoming: IncomingMessage, watch: StallTimer): AsyncGenerator<Uint8Array, void> {
  try {
    const bytes = await decompressed(incoming, watch);
    for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
      watch.touch();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw watch.explain(error);
  } finally {
    watch.stop();
  }
}

/** We request no compression because it delays the chunks of a stream, but some servers compress anyway. */
async function decompressed(incoming: IncomingMessage, watch: StallTimer): Promise<Readable> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return incoming;
  const zlib = await import('node:zlib');
  const { pipeline } = await import('node:stream');
  const makers = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  const make = makers[encoding as keyof typeof makers] as (() => ReturnType<typeof zlib.createGunzip>) | undefined;
  if (make === undefined) {
    const message = `The response has the unsupported content encoding "${encoding}".`;
    throw new ModelError(failureOfKind('invalid_response', message));
  }
  const decompressor = make();
  // Compressed bytes count as activity even before they can be decompressed.
  incoming.on('data', watch.touch);
  // The reader gets the error from the stream; the callback only prevents an unhandled one.
  pipeline(incoming, decompressor, () => {});
  return decompressor;
}

/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Parts are joined to about this many characters before they are encoded, because each call has a fixed cost. */
const ENCODED_AT_ONCE = 32 * 1024;

/** Encodes text as UTF-8, piece by piece: joining a long history first would copy it once more. */
function encodeParts(parts: readonly string[]): Buffer {
  const characters = parts.reduce((sum, { length }) => sum + length, 0);
  // Most text is ASCII with a few longer characters; otherwise the buffer grows.
  let bytes = Buffer.allocUnsafe(Math.ceil(characters * 1.03) + 1024);
  let end = 0;
  let piece = '';
  for (let index = 0; index < parts.length; index += 1) {
    piece += parts[index] as string;
    if (piece.length < ENCODED_AT_ONCE && index < parts.length - 1) continue;
    const most = piece.length * MAX_BYTES_PER_UNIT;
    if (end + most > bytes.length && end + Buffer.byteLength(piece) > bytes.length) {
      const larger = Buffer.allocUnsafe(bytes.length * 2 + most);
      bytes.copy(larger, 0, 0, end);
      bytes = larger;
    }
    end += bytes.write(piece, end);
    piece = '';
  }
  return bytes.subarray(0, end);
}
