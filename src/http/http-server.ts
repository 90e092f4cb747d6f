import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, ConfigurationError, systemClock } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { settlesWithin } from '../util/index.ts';
import { createRequestHandler, type RequestHandler, type Route } from './handle-request.ts';
import { errorBody } from './http-error.ts';
import { isLoopbackHost, type OriginRules } from './origin-check.ts';
import type { RequestRate } from './rate-limits.ts';
import { createRouter } from './router.ts';

export type HttpServerOptions = Partial<OriginRules> & {
  /** The address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** 0 for any free port. */
  port: number;
  routes: readonly Route[];
  /** How many responses a client without a valid key gets. Default: 60 per minute and address. */
  strangers?: RequestRate;
  limits?: Partial<HttpLimits>;
  logger: Logger;
  clock?: Clock;
};

export type HttpLimits = {
  /** How long a client may take to send the headers of a request. */
  headersMs: number;
  /** How long a client may take to send a whole request. */
  requestMs: number;
  /** How long a connection without a request is kept open. */
  idleMs: number;
  maxHeaderBytes: number;
  maxConnections: number;
};

const LIMITS: HttpLimits = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 512,
};
const MAX_HEADERS = 100;

export interface HttpServer {
  /** The address and the port on which it listens. */
  readonly host: string;
  readonly port: number;
  /** Accepts no more requests, waits for the running ones at most for this time, and then disconnects them. */
  close(graceMs: number): Promise<void>;
}

/**
 * Starts an HTTP server. Beyond this machine, it serves only routes that are public or need a key: a route that is meant
 * for `loopback` prevents the start on any other address.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host = '127.0.0.1', routes, logger, clock = systemClock } = options;
  requireKeys(host, routes);
  const limits = { ...LIMITS, ...options.limits };
  const rules = { hosts: options.hosts ?? [], origins: options.origins ?? [] };
  const router = createRouter(routes);
  const strangers = options.strangers === undefined ? {} : { strangers: options.strangers };
  const requests = trackRequests(createRequestHandler({ router, rules, ...strangers, clock, logger }));
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    maxHeaderSize: limits.maxHeaderBytes,
    connectionsCheckingInterval: Math.min(limits.headersMs, limits.requestMs, 5000) / 2,
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = limits.maxConnections;
  server.on('request', (incoming, outgoing) => requests.handle(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => requests.handle(incoming, outgoing, true));
  server.on('clientError', refuseMalformed);
  await listen(server, host, options.port);
  // Such as a failed accept because the process has too many open files; the server goes on.
  server.on('error', (error) => logger.error('the HTTP server failed', { host }, error));
  return {
    host,
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await settlesWithin(Promise.all([requests.finish(), closed]), graceMs);
      requests.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

function requireKeys(host: string, routes: readonly Route[]): void {
  const open = isLoopbackHost(host) ? undefined : routes.find(({ access }) => access === 'loopback');
  if (open === undefined) return;
  throw new ConfigurationError(`The server cannot listen on ${host}, because ${open.path} needs no key.`, {
    hint: 'Set a key, or listen on 127.0.0.1.',
  });
}

/** Knows the running requests, and when their clients disconnect. */
function trackRequests(handle: RequestHandler) {
  const running = new Set<Promise<void>>();
  const aborting = new AbortController();
  let isClosing = false;
  return {
    handle(incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): void {
      const gone = new AbortController();
      const onAbort = () => gone.abort();
      outgoing.once('close', onAbort);
      aborting.signal.addEventListener('abort', onAbort);
      const how = { awaitsContinue, isClosing: () => isClosing, signal: gone.signal };
      const request = handle(incoming, outgoing, how).finally(() => {
        running.delete(request);
        aborting.signal.removeEventListener('abort', onAbort);
      });
      running.add(request);
    },
    /** Resolves when no request is running any more. */
    async finish(): Promise<void> {
      isClosing = true;
      while (running.size > 0) await Promise.allSettled(running);
    },
    abort: () => aborting.abort(),
  };
}

const REFUSALS: Readonly<Record<string, [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'body_too_large', 'The chunk extensions of the body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'timed_out', 'The request was not sent in time.'],
};

/** Answers what is not a valid HTTP request. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message] = REFUSALS[error.code ?? ''] ?? [400, 'malformed', 'This is not a valid HTTP request.'];
  const body = JSON.stringify(errorBody(status, code, message));
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  // A client that does not close its side would keep the connection, and all connections could be taken.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListening(error, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function explainListening(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const where = `port ${port} of ${host}`;
  if (error.code === 'EADDRINUSE') {
    const hint = 'Stop the other program, or choose another port.';
    return new ConfigurationError(`Another program uses ${where}.`, { hint, cause: error });
  }
  return new ConfigurationError(`Cannot listen on ${where}: ${error.message}.`, { cause: error });
}
