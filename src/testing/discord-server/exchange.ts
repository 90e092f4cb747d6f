import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { type FaultPlan, hasEffect, type PlatformFault, sendWithFault } from '../platform-faults.ts';
import type { EventLog } from '../provider-server/provider-server.ts';
import { readBody, readCall, type UploadedFile } from '../telegram-server/read-call.ts';
import { ApiError } from './api-error.ts';
import { type RouteContext, ROUTES } from './routes.ts';

export type DiscordCall = {
  /** Such as `POST /channels/:id/messages`. */
  route: string;
  path: string;
  body: JsonValue | undefined;
  /** What Discord answered; undefined without an error, or if a fault prevented the call. */
  error: string | undefined;
};

type Handling = {
  token: string;
  isRevoked(): boolean;
  calls: EventLog<DiscordCall>;
  faults: FaultPlan<DiscordCall>;
  context: RouteContext;
  limits: RouteLimits;
};

type Reply = { status: number; body: JsonValue | undefined; headers?: Record<string, string> };

const PREFIX = '/api/v10';

/** Answers the HTTP requests of a bot. */
export function createRequestHandler(handling: Handling) {
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const bytes = await readBody(incoming).catch(() => undefined);
    if (url.pathname.startsWith('/attachments/')) {
      sendFile(handling, incoming, response);
      return;
    }
    const whole = decodeURIComponent(url.pathname);
    const path = whole.startsWith(PREFIX) ? whole.slice(PREFIX.length) : '';
    const found = ROUTES.find(({ pattern }) => pattern.test(`${incoming.method} ${path}`));
    const sent = bytes && readSent(incoming, bytes);
    const call: DiscordCall = { route: found?.name ?? '', path, body: sent?.body, error: undefined };
    const fault = handling.faults.faultFor(call);
    const reply = answer();
    handling.calls.add(call);
    const body = Buffer.from(reply.body === undefined ? '' : JSON.stringify(reply.body));
    const type = reply.body === undefined ? undefined : { 'content-type': 'application/json' };
    sendWithFault(response, { status: reply.status, body, headers: { ...type, ...reply.headers } }, fault);

    function answer(): Reply {
      try {
        if (found === undefined) throw new ApiError(404, 0, '404: Not Found');
        if (!found.isOpen) authorize(handling, incoming);
        if (sent === undefined) throw new ApiError(400, 50_109, 'The request body contains invalid JSON.');
        if (!hasEffect(fault)) return faultReply(fault);
        const headers = handling.limits.take(found.name, path);
        const ids = (found.pattern.exec(`${incoming.method} ${path}`) ?? []).slice(1);
        const result = found.run({ ids, query: url.searchParams, ...sent }, handling.context);
        if (fault?.type === 'accepted') return faultReply(fault);
        const status = result === undefined ? 204 : 200;
        return { status, body: copy(result), ...(headers && { headers }) };
      } catch (error) {
        if (error instanceof LimitExceeded) return faultReply({ type: 'rate_limit', retryAfter: error.retryAfter });
        if (!(error instanceof ApiError)) throw error;
        call.error = error.message;
        return { status: error.status, body: error.body };
      }
    }
  };
}

function authorize({ token, isRevoked }: Handling, { headers }: IncomingMessage): void {
  if (headers.authorization === `Bot ${token}` && !isRevoked()) return;
  throw new ApiError(401, 0, '401: Unauthorized');
}

/** Messages change later, but a response does not. */
function copy(result: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(result) ? { ...result } : result;
}

type Sent = { body: JsonValue | undefined; files: UploadedFile[] };

function readSent({ headers }: IncomingMessage, bytes: Buffer): Sent | undefined {
  const type = headers['content-type'] ?? '';
  if (bytes.length === 0) return { body: undefined, files: [] };
  if (type.startsWith('application/json')) {
    const body = parseJson(bytes.toString('utf8'));
    return body === undefined ? undefined : { body, files: [] };
  }
  const form = readCall('', new URLSearchParams(), type, bytes);
  const names = Object.keys(form?.files ?? {});
  if (form === undefined || names.some((name) => !/^files\[\d+\]$/.test(name))) return undefined;
  return { body: form.parameters['payload_json'], files: Object.values(form.files) };
}

function faultReply(fault: PlatformFault | undefined): Reply {
  if (fault?.type === 'rate_limit') {
    const body: JsonObject = { message: 'You are being rate limited.', retry_after: fault.retryAfter, global: false };
    const headers = { 'retry-after': String(fault.retryAfter), 'x-ratelimit-scope': 'user' };
    return { status: 429, body, headers };
  }
  if (fault?.type === 'status' || fault?.type === 'accepted') {
    const message = 'message' in fault ? fault.message : undefined;
    return { status: fault.status, body: { message: message ?? 'Internal Server Error', code: 0 } };
  }
  return { status: 200, body: {} };
}

function sendFile({ context }: Handling, { url = '', headers }: IncomingMessage, response: ServerResponse): void {
  const [, id = ''] = /^\/attachments\/(\d+)\//.exec(url) ?? [];
  const bytes = context.world.files.get(id);
  // The host of files does not belong to the API, and must not get the token.
  if (headers.authorization !== undefined) response.writeHead(400).end('unexpected authorization');
  else if (bytes === undefined || !url.includes('ex=')) response.writeHead(404).end('Not Found');
  else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes);
}

class LimitExceeded extends Error {
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super('rate limit exceeded');
    this.retryAfter = retryAfter;
  }
}

/** The rate limits of routes, which are separate for each channel, and their headers. */
export type RouteLimits = {
  set(route: string, limit: { count: number; perSeconds: number }): void;
  take(route: string, path: string): Record<string, string> | undefined;
};

export function createRouteLimits(): RouteLimits {
  const limits = new Map<string, { count: number; perSeconds: number }>();
  const used = new Map<string, { left: number; resetAt: number }>();
  return {
    set(route, limit) {
      limits.set(route, limit);
    },
    take(route, path) {
      const limit = limits.get(route);
      if (limit === undefined) return undefined;
      const key = `${route} ${path}`;
      const current = used.get(key);
      const fresh = { left: limit.count, resetAt: Date.now() + limit.perSeconds * 1000 };
      const bucket = current === undefined || current.resetAt <= Date.now() ? fresh : current;
      used.set(key, bucket);
      const resetAfter = (bucket.resetAt - Date.now()) / 1000;
      if (bucket.left === 0) throw new LimitExceeded(resetAfter);
      bucket.left -= 1;
      return {
        'x-ratelimit-limit': String(limit.count),
        'x-ratelimit-remaining': String(bucket.left),
        'x-ratelimit-reset-after': resetAfter.toFixed(3),
        'x-ratelimit-bucket': 'bucket',
      };
    },
  };
}
