import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, errorMessage, newId } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { shorten } from '../util/index.ts';
import { type Authenticator, type Caller, INVALID_KEY, readBearer } from './api-keys.ts';
import { errorBody, HttpError } from './http-error.ts';
import { clientAddressOf, createBodyReader, headerOf, type HttpRequest } from './http-request.ts';
import { type HttpResponse, sendResponse } from './http-response.ts';
import { checkOrigin, type OriginRules } from './origin-check.ts';
import { clientOf, createRateLimits, type RateLimits, type RequestRate } from './rate-limits.ts';
import { HTTP_METHODS, type RouteMatch, type RoutePattern, type Router } from './router.ts';

/**
 * Who may use a route: everybody (`public`), everybody as long as the server is reachable from this machine only
 * (`loopback`), callers that are recognised by their headers, or those whose body the handler recognises (`signed`).
 */
export type Access = 'public' | 'loopback' | 'signed' | Authenticator;

export type Route = RoutePattern & {
  access: Access;
  /** The maximum size of a body. Default: 1 MiB. */
  maxBodyBytes?: number;
  /** Per caller, or per address on routes without callers. */
  rate?: RequestRate;
  handle(request: HttpRequest): Promise<HttpResponse> | HttpResponse;
};

/** How a handler refuses requests that it does not recognise: no signature, an unknown name, too large. */
const UNRECOGNISED: readonly number[] = [401, 404, 413, 415];
const MAX_BODY = 1024 * 1024;
/** Of a path in an error. */
const MAX_SHOWN_PATH = 200;
/**
 * Without a valid key, an address gets so many responses, and then has to wait. Until then, a key that could be guessed
 * is refused even if it is right, so that no guess can be recognised. A strong key is never delayed by what others send
 * from its address: several clients share the address of a router or a reverse proxy.
 */
const STRANGER_RATE: RequestRate = { count: 60, perMs: 60_000 };

export type HandlerOptions = {
  router: Router<Route>;
  rules: OriginRules;
  strangers?: RequestRate;
  clock: Clock;
  logger: Logger;
};

export type Handling = {
  awaitsContinue: boolean;
  /** Whether the server closes, so that the connection is not used again. */
  isClosing(): boolean;
  signal: AbortSignal;
};

/** Answers a request. It never throws. */
export type RequestHandler = (incoming: IncomingMessage, outgoing: ServerResponse, how: Handling) => Promise<void>;

export function createRequestHandler(options: HandlerOptions): RequestHandler {
  const { clock, logger } = options;
  const strangers = createRateLimits(options.strangers ?? STRANGER_RATE, clock);
  const perRoute = new Map<Route, RateLimits>();

  function limitsOf(route: Route): RateLimits | undefined {
    if (route.rate === undefined) return undefined;
    const limits = perRoute.get(route) ?? createRateLimits(route.rate, clock);
    perRoute.set(route, limits);
    return limits;
  }

  /** Finds the route of a request, and throws `HttpError` if the client may not use it. */
  function admit(incoming: IncomingMessage, path: string): Admitted {
    const client = clientOf(clientAddressOf(incoming));
    const found = options.router.find(incoming.method ?? '', path);
    const caller = found.outcome === 'found' ? identify(found.route, incoming) : undefined;
    if (caller === undefined || caller.isGuessable === true) requireRate(strangers, client);
    const isSigned = found.outcome === 'found' && found.route.access === 'signed';
    if (caller === undefined && !isSigned) strangers.count(client);
    if (found.outcome !== 'found') throw noEndpoint(found, incoming.method ?? '', path);
    const { route, parameters } = found;
    if (typeof route.access !== 'string' && caller === undefined) throw unauthorized(route.access, incoming);
    const limits = limitsOf(route);
    const counted = caller === undefined ? client : `key ${caller.name}`;
    if (limits !== undefined) {
      requireRate(limits, counted);
      limits.count(counted);
    }
    return { route, parameters, caller };
  }

  async function respond(incoming: IncomingMessage, how: Handling, exchange: Exchange): Promise<HttpResponse> {
    const { path, query } = readTarget(incoming.url ?? '');
    const foreign = checkOrigin(
      {
        hosts: incoming.headersDistinct['host'],
        origin: headerOf(incoming, 'origin'),
        localAddress: incoming.socket.localAddress,
      },
      options.rules,
    );
    if (foreign !== undefined) Object.assign(exchange.headers, corsHeaders(foreign, incoming));
    if (foreign !== undefined && incoming.method === 'OPTIONS') return PREFLIGHT;
    const { route, parameters, caller } = admit(incoming, path);
    const maxBytes = route.maxBodyBytes ?? MAX_BODY;
    const onUnrecognised = () => strangers.count(clientOf(clientAddressOf(incoming)));
    return handleRoute(route, onUnrecognised, {
      method: incoming.method ?? '',
      path,
      parameters,
      query,
      caller,
      clientAddress: clientAddressOf(incoming),
      header: (name) => headerOf(incoming, name.toLowerCase()),
      ...createBodyReader(incoming, exchange.outgoing, { maxBytes, awaitsContinue: how.awaitsContinue }),
      signal: how.signal,
    });
  }

  return async (incoming, outgoing, how) => {
    // The id that clients show with an error.
    const headers: Record<string, string> = { 'x-request-id': newId('req') };
    try {
      const response = await respond(incoming, how, { outgoing, headers }).catch((thrown: unknown) =>
        refuse(thrown, incoming, logger),
      );
      // The rest of a body that nobody reads must not be taken for the next request.
      if (!incoming.complete || how.isClosing()) headers['connection'] = 'close';
      await sendResponse(outgoing, response, { headers, clock, signal: how.signal });
    } catch (thrown) {
      logger.warn('could not send a response', { path: loggedPath(incoming), error: errorMessage(thrown) });
      outgoing.destroy();
    }
  };
}

type Admitted = { route: Route; parameters: Readonly<Record<string, string>>; caller: Caller | undefined };
type Exchange = { outgoing: ServerResponse; headers: Record<string, string> };

/** Calls the handler. A client whose request a `signed` route refused before it was recognised is a stranger. */
async function handleRoute(route: Route, onUnrecognised: () => void, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await route.handle(request);
  } catch (thrown) {
    const isRefused = thrown instanceof HttpError && UNRECOGNISED.includes(thrown.status);
    if (route.access === 'signed' && isRefused) onUnrecognised();
    throw thrown;
  }
}

const PREFLIGHT: HttpResponse = { status: 204, empty: true };

function identify({ access }: Route, incoming: IncomingMessage): Caller | undefined {
  return typeof access === 'string' ? undefined : access.authenticate((name) => headerOf(incoming, name));
}

function noEndpoint(found: Exclude<RouteMatch<Route>, { outcome: 'found' }>, method: string, path: string): HttpError {
  const message = `There is no endpoint ${method} ${shorten(path, MAX_SHOWN_PATH)}.`;
  if (found.outcome === 'not_found')
    return new HttpError(404, 'not_found', `${message} Check the path and the base URL.`);
  const allow = found.allowed.join(', ');
  return new HttpError(405, 'wrong_method', `${message} This path accepts ${allow}.`, { allow });
}

function unauthorized({ challenge }: Authenticator, incoming: IncomingMessage): HttpError {
  if (challenge === undefined) return new HttpError(401, 'invalid_key', 'The request has no valid key.');
  const message =
    readBearer(headerOf(incoming, 'authorization')) === undefined
      ? 'The request has no key. Send it in the header `Authorization: Bearer KEY`.'
      : INVALID_KEY;
  return new HttpError(401, 'invalid_key', message, { 'www-authenticate': challenge });
}

function requireRate(limits: RateLimits, client: string): void {
  const wait = limits.waitFor(client);
  if (wait === 0) return;
  const seconds = String(Math.ceil(wait / 1000));
  throw new HttpError(429, 'rate_limited', `Too many requests. Retry after ${seconds} s.`, { 'retry-after': seconds });
}

function readTarget(target: string): { path: string; query: URLSearchParams } {
  if (!target.startsWith('/')) throw new HttpError(400, 'bad_target', 'The target of the request must be a path.');
  const [path = '', ...query] = target.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}

/** Pages of an allowed origin may send any header: a client library adds its own. */
function corsHeaders(origin: string, incoming: IncomingMessage): Record<string, string> {
  const asked = headerOf(incoming, 'access-control-request-headers') ?? '';
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': HTTP_METHODS.join(', '),
    'access-control-allow-headers': /^[\w\s,-]{1,2000}$/.test(asked) ? asked : 'authorization, content-type',
    'access-control-expose-headers': 'x-request-id, x-hermes-session-id, x-hermes-session-key, retry-after, location',
    'access-control-max-age': '600',
    vary: 'origin',
  };
}

/** The response to a request that was refused or failed. Only messages that are meant for clients are sent. */
function refuse(thrown: unknown, incoming: IncomingMessage, logger: Logger): HttpResponse {
  if (thrown instanceof HttpError) {
    const { status, code, message, headers, field } = thrown;
    return { status, headers, json: errorBody(status, code, message, field) };
  }
  // A client that disconnected makes reading its body fail.
  const fields = { method: incoming.method, path: loggedPath(incoming) };
  if (!incoming.destroyed) logger.error('a request failed', fields, thrown);
  return { status: 500, json: errorBody(500, 'internal_error', 'The request failed. The log has the details.') };
}

/** Without the query, in which clients put things that do not belong into a log. */
function loggedPath({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}
