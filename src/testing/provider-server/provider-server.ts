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
  /** Without one, every request is answered with the text `ok`. */
  script?: ProviderScript;
  /** Refuses requests with an invalid history, as a strict provider would. On by default. */
  strict?: boolean;
  /** Counts the input of each call as the cache of a real provider would, where a reply brings no usage. */
  cache?: CacheSimulator;
  /** What `GET /v1/models` lists. */
  models?: readonly string[];
  /** Keeps the process alive while the server is open; otherwise it ends when nothing else goes on. */
  holdProcess?: boolean;
};

export type ProviderServer = AsyncDisposable & {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The base URL that a client of this API mode is given. */
  baseUrl(apiMode: ApiMode): string;
  /** Every model request so far, oldest first, refused ones included. */
  readonly requests: readonly ReceivedRequest[];
  /** Each request once, in order. */
  nextRequest(): Promise<ReceivedRequest>;
  waitForRequests(count: number): Promise<ReceivedRequest[]>;
  readonly openConnections: number;
  /** Resolves for each client that left before its answer was finished, once for each. */
  waitForDisconnect(): Promise<void>;
  /** Closes connections that carry no request, as a real server does after a while. */
  closeIdleConnections(): void;
  /** Begins a new script; the log of requests stays. */
  setScript(script: ProviderScript, options?: ScriptOptions): void;
  close(): Promise<void>;
};

/** A scripted provider on a loopback port that speaks every API mode. */
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
    // The server alone would wait for stalled answers and idle connections.
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
  // A test that takes long must not meet a time limit of the server it tests with.
  return createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 0 }, handle);
}

/** Node's own count of connections is asynchronous, and it has no way to close all of them on every version. */
function trackSockets(server: Server, holdProcess: boolean): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (!holdProcess) socket.unref();
  });
  return sockets;
}

/** Loopback and a free port: tests run beside each other and are never reachable from outside. */
async function listen(server: Server, holdProcess: boolean): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  if (!holdProcess) server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Waiter = { ready: () => boolean; settle: () => void; reject: (error: Error) => void };

/** Things as they happen, for tests that wait for them instead of for time. */
export type ArrivalLog<Entry> = {
  readonly entries: Entry[];
  add(entry: Entry): void;
  /** Each entry once, in order: the next one not yet taken, as soon as it is there. */
  next(): Promise<Entry>;
  /** The first `count` entries, as soon as there are that many. */
  waitFor(count: number): Promise<Entry[]>;
  /** No more requests will arrive: rejects everyone who still waits. */
  close(): void;
};

export function createArrivalLog<Entry>(what: string): ArrivalLog<Entry> {
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
  // Counting what was taken instead of removing it keeps the whole log for later assertions.
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
  const missing = wanted === undefined ? 'a further one' : `${wanted}`;
  return new HermesError(`The provider server was closed after ${had} ${what}, while a test waited for ${missing}.`);
}
