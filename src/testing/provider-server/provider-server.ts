import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { HermesError } from '../../base/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import type { CacheSimulator } from '../cache-simulator/index.ts';
import { createScriptReader, type Reply, type Script, type ScriptOptions } from '../reply.ts';
import { createExchangeHandler } from './exchange.ts';
import type { ReceivedRequest } from './received-request.ts';

export type ProviderScript = Script<ReceivedRequest, Reply>;

export type ProviderServerOptions = ScriptOptions & {
  /** Default: every request is answered with the text `ok`. */
  script?: ProviderScript;
  /** Reject requests with an invalid history, as a strict provider would. Default: true. */
  strict?: boolean;
  /** Report simulated cache usage for replies without usage. */
  cache?: CacheSimulator;
  /** The models that `GET /v1/models` lists. */
  models?: readonly string[];
  /** Keep the process alive while the server is open. */
  holdProcess?: boolean;
};

export type ProviderServer = AsyncDisposable & {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The base URL for a client of this API mode. */
  baseUrl(apiMode: ApiMode): string;
  /** All model requests so far, oldest first, including rejected ones. */
  readonly requests: readonly ReceivedRequest[];
  /** Returns each request once, in order. */
  nextRequest(): Promise<ReceivedRequest>;
  waitForRequests(count: number): Promise<ReceivedRequest[]>;
  readonly openConnections: number;
  /** Resolves once for each client that disconnected before its response was complete. */
  waitForDisconnect(): Promise<void>;
  /** Closes idle connections, as a real server does after a while. */
  closeIdleConnections(): void;
  /** Starts a new script; the request log is kept. */
  setScript(script: ProviderScript, options?: ScriptOptions): void;
  close(): Promise<void>;
};

/** A scripted provider on a loopback port that supports every API mode. */
export async function createProviderServer(options: ProviderServerOptions = {}): Promise<ProviderServer> {
  const requests = createArrivalLog<ReceivedRequest>('requests');
  const disconnects = createArrivalLog<undefined>('disconnects');
  let nextReply = createScriptReader(options.script ?? (() => ({ text: 'ok' })), options);
  const handle = createExchangeHandler({
    requests,
    disconnects,
    strict: options.strict ?? true,
    cache: options.cache,
    models: options.models ?? ['test-model'],
    nextReply: (request) => nextReply(request),
  });
  const server = createListener(handle);
  const sockets = trackSockets(server, options.holdProcess ?? false);
  const url = await listen(server, options.holdProcess ?? false);
  const close = () => {
    requests.close();
    disconnects.close();
    // Destroys the connections too: `server.close` alone would wait for stalled responses and idle connections.
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url,
    baseUrl: (apiMode) => (['anthropic_messages', 'ollama_chat'].includes(apiMode) ? url : `${url}/v1`),
    requests: requests.entries,
    nextRequest: () => requests.next(),
    waitForRequests: (count) => requests.waitFor(count),
    get openConnections() {
      return sockets.size;
    },
    waitForDisconnect: () => disconnects.next(),
    closeIdleConnections: () => server.closeIdleConnections(),
    setScript(script, scriptOptions) {
      nextReply = createScriptReader(script, scriptOptions);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createListener(handle: (incoming: IncomingMessage, response: ServerResponse) => void): Server {
  // Disables the server's timeouts, which long tests could exceed.
  return createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 0 }, handle);
}

/** Tracks connections here, because Node counts them asynchronously and cannot close all of them in every version. */
function trackSockets(server: Server, holdProcess: boolean): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (!holdProcess) socket.unref();
  });
  return sockets;
}

/** Loopback and a free port: tests run concurrently and must not be reachable from outside. */
async function listen(server: Server, holdProcess: boolean): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  if (!holdProcess) server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Waiter = { ready: () => boolean; settle: () => void; reject: (error: Error) => void };

/** A log of events that tests can wait for, instead of waiting for a time. */
export type EventLog<Entry> = {
  readonly entries: Entry[];
  add(entry: Entry): void;
  /** Returns each entry once, in order: the next one, as soon as it exists. */
  next(): Promise<Entry>;
  /** The first `count` entries, as soon as they exist. */
  waitFor(count: number): Promise<Entry[]>;
  /** Rejects all pending waits, because no more requests will arrive. */
  close(): void;
};

export function createArrivalLog<Entry>(what: string): EventLog<Entry> {
  const entries: Entry[] = [];
  const waiters = new Set<Waiter>();
  let taken = 0;
  let closed = false;
  const waitFor = (count: number): Promise<Entry[]> =>
    new Promise((resolve, reject) => {
      const waiter = { ready: () => entries.length >= count, settle: () => resolve(entries.slice(0, count)), reject };
      if (waiter.ready()) waiter.settle();
      else if (closed) reject(closedError(what, count, entries.length));
      else waiters.add(waiter);
    });
  // A position instead of removal, so that the whole log is available for later assertions.
  return {
    entries,
    waitFor,
    add(entry) {
      entries.push(entry);
      for (const waiter of [...waiters].filter(({ ready }) => ready())) {
        waiters.delete(waiter);
        waiter.settle();
      }
    },
    async next() {
      taken += 1;
      return (await waitFor(taken)).at(-1) as Entry;
    },
    close() {
      closed = true;
      for (const waiter of waiters) waiter.reject(closedError(what, undefined, entries.length));
      waiters.clear();
    },
  };
}

function closedError(what: string, wanted: number | undefined, had: number): Error {
  const missing = wanted === undefined ? 'another one' : `${wanted}`;
  return new HermesError(
    `The provider server was closed after ${had} ${what} while a test was waiting for ${missing}.`,
  );
}
