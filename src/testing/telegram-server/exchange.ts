import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { type FaultPlan, hasEffect, type PlatformFault, sendWithFault } from '../platform-faults.ts';
import type { EventLog } from '../provider-server/provider-server.ts';
import { BadRequest } from './bad-request.ts';
import { METHODS, type MethodContext } from './methods.ts';
import { readBody, readCall, type ReceivedCall } from './read-call.ts';

export type TelegramCall = {
  method: string;
  parameters: JsonObject;
  /** What Telegram answered; undefined if a fault prevented the call. */
  error: string | undefined;
};

type Handling = {
  token: string;
  isRevoked(): boolean;
  calls: EventLog<TelegramCall>;
  faults: FaultPlan<TelegramCall>;
  context: MethodContext;
};

/** Answers the requests of a bot. */
export function createCallHandler(handling: Handling) {
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const body = await readBody(incoming).catch(() => undefined);
    const [, kind, token, path] = /^\/(bot|file\/bot)([^/]*)\/(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    if (kind === 'file/bot') {
      sendFile(handling, response, { token, path: path ?? '' });
      return;
    }
    const refusal = findRefusal(handling, token, body);
    const type = incoming.headers['content-type'] ?? '';
    const read = body && readCall(path ?? '', url.searchParams, type, body);
    if (refusal !== undefined || read === undefined) {
      send(response, refusal ?? errorReply(new BadRequest("can't parse the body of the request")), undefined);
      return;
    }
    const call: TelegramCall = { method: read.method, parameters: read.parameters, error: undefined };
    const fault = handling.faults.faultFor(call);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const context = { ...handling.context, gone: AbortSignal.any([gone.signal, handling.context.gone]) };
    const reply = await perform(read, call, { context, fault });
    handling.calls.add(call);
    if (!gone.signal.aborted) send(response, reply, fault);
  };
}

type Reply = { status: number; body: JsonObject };

function findRefusal(handling: Handling, token: string | undefined, body: Buffer | undefined): Reply | undefined {
  if (body === undefined) return { status: 413, body: describeError(413, 'Request Entity Too Large') };
  if (token === undefined || !/^\d+:[\w-]+$/.test(token)) return { status: 404, body: describeError(404, 'Not Found') };
  const isKnown = token === handling.token && !handling.isRevoked();
  return isKnown ? undefined : { status: 401, body: describeError(401, 'Unauthorized') };
}

async function perform(
  read: ReceivedCall,
  call: TelegramCall,
  { context, fault }: { context: MethodContext; fault: PlatformFault | undefined },
): Promise<Reply> {
  const method = Object.hasOwn(METHODS, read.method) ? METHODS[read.method] : undefined;
  if (method === undefined) return { status: 404, body: describeError(404, 'Not Found') };
  if (!hasEffect(fault)) return faultReply(fault);
  try {
    const result = await method(read, context);
    return fault?.type === 'accepted' ? faultReply(fault) : { status: 200, body: { ok: true, result: copy(result) } };
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error;
    call.error = error.message;
    return errorReply(error);
  }
}

/** Messages change later, but a response does not. */
function copy(result: JsonValue): JsonValue {
  return isJsonObject(result) ? { ...result } : result;
}

function faultReply(fault: PlatformFault | undefined): Reply {
  if (fault?.type === 'rate_limit') {
    const parameters = { retry_after: fault.retryAfter };
    const description = `Too Many Requests: retry after ${fault.retryAfter}`;
    return { status: 429, body: { ...describeError(429, description), parameters } };
  }
  if (fault?.type === 'status' || fault?.type === 'accepted') {
    const message = 'message' in fault ? fault.message : undefined;
    return { status: fault.status, body: describeError(fault.status, message ?? 'Internal Server Error') };
  }
  return { status: 200, body: { ok: true, result: true } };
}

function errorReply({ status, message, parameters }: BadRequest): Reply {
  const body = describeError(status, message);
  return { status, body: parameters === undefined ? body : { ...body, parameters } };
}

function describeError(code: number, description: string): JsonObject {
  return { ok: false, error_code: code, description };
}

function send(response: ServerResponse, { status, body }: Reply, fault: PlatformFault | undefined): void {
  const headers = { 'content-type': 'application/json' };
  sendWithFault(response, { status, body: Buffer.from(JSON.stringify(body)), headers }, fault);
}

function sendFile(
  { token: known, isRevoked, context }: Handling,
  response: ServerResponse,
  { token, path }: { token: string | undefined; path: string },
): void {
  const bytes = token === known && !isRevoked() ? context.files.read(path) : undefined;
  if (bytes === undefined) response.writeHead(404).end('Not Found');
  else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes);
}
