import { once } from 'node:events';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isJsonObject, systemClock } from '../../base/index.ts';
import { type Fault, type PlannedReply, planReply, type Reply } from '../reply.ts';
import type { ReceivedRequest } from './received-request.ts';
import { defaultErrorMessage, serialiseEvent, type WireContext, type WireEvent, type WireMode } from './wire.ts';

type FaultOf<Type extends Fault['type']> = Extract<Fault, { type: Type }>;
type Exchange = { mode: WireMode; request: ReceivedRequest; context: WireContext; plan: PlannedReply };

const JSON_HEADERS = { 'content-type': 'application/json' };
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const LINE_HEADERS = { 'content-type': 'application/x-ndjson' };
const REPEAT_MS = 20;
const HUGE_CHARACTERS = 4 * 1024 * 1024;
const HTML_PAGE = '<!doctype html><html><head><title>Gateway</title></head><body><h1>It works</h1></body></html>';

/** Plans the HTTP response for a reply; nothing is sent here. */
export function planDelivery(mode: WireMode, request: ReceivedRequest, reply: Reply): Delivery {
  const options = request.body.stream_options;
  const context = {
    id: `${request.number}`.padStart(6, '0'),
    model: request.model,
    includeUsage: isJsonObject(options) && options.include_usage === true,
  };
  const exchange = { mode, request, context, plan: planReply(reply, request.rawBody.length) };
  return reply.fault === undefined ? planSuccess(exchange) : planFault(exchange, reply.fault);
}

/** Plans the response with a fault; `planSuccess` plans the response without it. */
function planFault(exchange: Exchange, fault: Fault): Delivery {
  const well = planSuccess(exchange);
  switch (fault.type) {
    case 'status':
      return planStatus(exchange.mode, fault);
    case 'stall':
      return planStall(exchange, fault);
    case 'no-content':
      return planNoContent(exchange, fault);
    case 'cut':
      return { ...well, pieces: [cutBytes(well.pieces, fault.afterBytes)], ending: 'destroy' };
    case 'cut-clean':
      return planCleanCut(exchange, fault);
    case 'reset':
      return { ...well, opening: 'reset' };
    case 'malformed-json':
      return { ...well, pieces: well.pieces.with(boundedIndex(well, fault.afterEvents), brokenPiece(well, fault)) };
    case 'wrong-content-type':
      return { ...well, status: fault.status ?? 200, headers: { 'content-type': 'text/html' }, pieces: [HTML_PAGE] };
    case 'slow-headers':
      return { ...well, opening: { wait: fault.wait } };
    case 'huge-chunk':
      return planHuge(exchange, fault);
    case 'empty-body':
      return { ...well, pieces: [] };
    case 'error-event':
      return planErrorEvent(exchange, fault);
    case 'refuse-stream':
      return exchange.request.stream ? planStreamRefusal(exchange.mode) : well;
  }
}

/** The response without a fault, one chunk per event. */
function planSuccess({ mode, request, context, plan }: Exchange): Delivery {
  if (!request.stream) return wholeDelivery(200, JSON_HEADERS, [JSON.stringify(mode.encodeWhole(plan, context))]);
  const { content, finish } = mode.encodeStream(plan, context);
  return streamed(mode, [...content, ...finish], plan.delayMs);
}

function planStall(exchange: Exchange, { afterEvents }: FaultOf<'stall'>): Delivery {
  const well = planSuccess(exchange);
  if (afterEvents === undefined) return { ...well, opening: 'stall' };
  if (exchange.request.stream) return { ...well, pieces: well.pieces.slice(0, afterEvents), ending: 'stall' };
  // A response without streaming has no events, so it stalls in the middle.
  const half = cutBytes(well.pieces, afterEvents === 0 ? 0 : halfOf(well.pieces[0]));
  return { ...well, pieces: [half], ending: 'stall' };
}

/** Data that never becomes content, as from a proxy that keeps a dead stream open. */
function planNoContent({ mode, request, context, plan }: Exchange, { sends }: FaultOf<'no-content'>): Delivery {
  const { framing } = mode;
  const { content } = mode.encodeStream({ ...plan, text: '', reasoning: '', toolCalls: [] }, context);
  const [empty = { data: '{"message":{"role":"assistant","content":""},"done":false}' }] = content;
  const start = streamed(mode, [empty], 0);
  const repeated = {
    'keep-alives': framing === 'ndjson' ? '\n' : ': keep-alive\n\n',
    'empty-events': String(start.pieces[0]),
    bytes: ' ',
  }[sends];
  const opened = sends === 'bytes' ? [framing === 'ndjson' ? '{' : 'data: {'] : start.pieces;
  const whole = { ...wholeDelivery(200, JSON_HEADERS, ['{']), repeated: ' ' };
  return request.stream ? { ...start, pieces: opened, repeated } : whole;
}

/** Ends like a proxy that lost its upstream: valid HTTP, but without the final event of the API mode. */
function planCleanCut({ mode, request, context, plan }: Exchange, { afterEvents }: FaultOf<'cut-clean'>): Delivery {
  if (!request.stream) {
    const body = mode.encodeWhole({ ...plan, finishReason: undefined }, context);
    return wholeDelivery(200, JSON_HEADERS, [JSON.stringify(body)]);
  }
  const { content } = mode.encodeStream(plan, context);
  return streamed(mode, content.slice(0, afterEvents), plan.delayMs);
}

/** One event larger than every buffer on the way, so that a reader has to reassemble it. */
function planHuge(exchange: Exchange, fault: FaultOf<'huge-chunk'>): Delivery {
  const characters = fault.characters ?? HUGE_CHARACTERS;
  const text = exchange.plan.text.padEnd(characters, '.');
  return planSuccess({ ...exchange, plan: { ...exchange.plan, text, chunkSize: Number.POSITIVE_INFINITY } });
}

/** The status was already sent, so a provider can report the error only in the body. */
function planErrorEvent({ mode, request, context, plan }: Exchange, fault: FaultOf<'error-event'>): Delivery {
  const message = fault.message ?? 'The service is overloaded.';
  const error = { status: 503, message, ...(fault.code === undefined ? {} : { code: fault.code }) };
  if (!request.stream) return wholeDelivery(200, JSON_HEADERS, [JSON.stringify(mode.errorBody(error))]);
  const { content } = mode.encodeStream(plan, context);
  const events = [...content.slice(0, fault.afterEvents ?? 1), ...mode.errorEvents(error, context)];
  return streamed(mode, events, plan.delayMs);
}

/** Names the parameter as real services do, so that a client can continue without streaming. */
function planStreamRefusal(mode: WireMode): Delivery {
  const message = 'Streaming is not supported for this model: stream must be false.';
  const error = { status: 400, message, parameter: 'stream' };
  return wholeDelivery(400, JSON_HEADERS, [JSON.stringify(mode.errorBody(error))]);
}

export function planStatus(mode: WireMode, fault: FaultOf<'status'>): Delivery {
  const error = { ...fault, message: fault.message ?? defaultErrorMessage(fault.status) };
  const body = fault.body ?? mode.errorBody(error);
  const headers: Record<string, string> = { ...JSON_HEADERS };
  if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter);
  // Last, so that a script can override the content type.
  Object.assign(headers, fault.headers);
  return wholeDelivery(fault.status, headers, [typeof body === 'string' ? body : JSON.stringify(body)]);
}

function wholeDelivery(status: number, headers: Record<string, string>, pieces: string[]): Delivery {
  return { status, headers, pieces, delayMs: 0, ending: 'end' };
}

function streamed({ framing }: WireMode, events: readonly WireEvent[], delayMs: number): Delivery {
  const pieces = events.map((event) => serialiseEvent(event, framing));
  return { ...wholeDelivery(200, framing === 'ndjson' ? LINE_HEADERS : STREAM_HEADERS, pieces), delayMs };
}

/** In bytes and not characters, so that the cut may be inside a character. */
function cutBytes(pieces: Delivery['pieces'], count: number): Buffer {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))).subarray(0, count);
}

function halfOf(piece: string | Buffer | undefined): number {
  return Math.floor((piece?.length ?? 0) / 2);
}

function boundedIndex(well: Delivery, index = 0): number {
  return Math.min(index, well.pieces.length - 1);
}

/** The first half of the event, still framed as an event, so that the following ones can be read. */
function brokenPiece(well: Delivery, fault: FaultOf<'malformed-json'>): string {
  const piece = String(well.pieces[boundedIndex(well, fault.afterEvents)]).trimEnd();
  return `${piece.slice(0, Math.ceil(piece.length / 2))}\n\n`;
}

/** The HTTP response to one request. */
export type Delivery = {
  /** Before the headers: a delay, a stall, or a connection reset. */
  opening?: { wait: number | Promise<unknown> } | 'stall' | 'reset';
  status: number;
  headers: OutgoingHttpHeaders;
  pieces: readonly (string | Buffer)[];
  /** Sent again and again after the pieces until the client disconnects. */
  repeated?: string;
  delayMs: number;
  ending: 'end' | 'stall' | 'destroy';
};

/** Sends a response. Rejects if the client disconnects first. */
export async function deliver(delivery: Delivery, response: ServerResponse, gone: AbortSignal): Promise<void> {
  if (delivery.opening === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (delivery.opening === 'stall') await untilGone(gone);
  else if (delivery.opening !== undefined) await waitFor(delivery.opening.wait, gone);
  response.writeHead(delivery.status, delivery.headers);
  // Otherwise the headers would wait for the first chunk, and a stall after them would look like one before them.
  response.flushHeaders();
  for (const [index, piece] of delivery.pieces.entries()) {
    if (index > 0 && delivery.delayMs > 0) await systemClock.sleep(delivery.delayMs, gone);
    await write(piece, response, gone);
  }
  while (delivery.repeated !== undefined) {
    await write(delivery.repeated, response, gone);
    await systemClock.sleep(REPEAT_MS, gone);
  }
  if (delivery.ending === 'stall') await untilGone(gone);
  // `destroySoon`, because data written before the cut must arrive.
  else if (delivery.ending === 'destroy') response.socket?.destroySoon();
  else response.end();
}

async function write(piece: string | Buffer, response: ServerResponse, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  // Waits for slow readers, so that a huge response is not buffered in memory.
  if (!response.write(piece)) await once(response, 'drain', { signal: gone });
}

async function waitFor(what: number | Promise<unknown>, gone: AbortSignal): Promise<void> {
  // A rejected promise also ends the wait, so that a failing script does not affect the client.
  if (typeof what === 'number') await systemClock.sleep(what, gone);
  else await Promise.race([what.catch(() => undefined), untilGone(gone)]);
}

function untilGone(gone: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const leave = () => reject(gone.reason as Error);
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
  });
}
