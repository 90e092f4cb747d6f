import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage } from '../../base/index.ts';
import type { CacheSimulator } from '../cache-simulator/index.ts';
import type { Reply } from '../reply.ts';
import { deliver, type Delivery, planDelivery, planStatus } from './plan-delivery.ts';
import { WIRE_MODES } from './modes/index.ts';
import { type ReceivedRequest, readRequest } from './received-request.ts';
import type { EventLog } from './provider-server.ts';
import type { WireMode } from './wire.ts';

export type ExchangeOptions = {
  requests: EventLog<ReceivedRequest>;
  disconnects: EventLog<undefined>;
  strict: boolean;
  cache: CacheSimulator | undefined;
  models: readonly string[];
  nextReply(request: ReceivedRequest): Promise<Reply>;
};

/** Handles HTTP requests; never throws, whatever the client or the script does. */
export function createExchangeHandler(options: ExchangeOptions) {
  return (incoming: IncomingMessage, response: ServerResponse): void => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    answer(incoming, response, gone.signal, options).catch(() => {
      // The client disconnected, or HTTP cannot represent the reply (such as status 99).
      response.destroy();
    });
  };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
  options: ExchangeOptions,
): Promise<void> {
  const path = (incoming.url ?? '/').split('?')[0] as string;
  const bytes = await readBytes(incoming);
  // Matches the end of the path, because clients differ in whether the base URL includes `/v1`.
  const mode = Object.values(WIRE_MODES).find(({ pathEnd }) => path.endsWith(pathEnd));
  if (incoming.method !== 'POST' || mode === undefined) {
    await deliver(planOther(incoming.method, path, options.models), response, gone);
    return;
  }
  const number = options.requests.entries.length + 1;
  const request = readRequest(mode, { number, path, headers: incoming.headers, bytes });
  // A connection that the script breaks does not count as a disconnect of the client.
  let deliberate = false;
  response.once('close', () => {
    if (!deliberate && !response.writableFinished) options.disconnects.add(undefined);
  });
  // Logged before the script runs: a test may wait for the request to decide on the reply.
  options.requests.add(request);
  const delivery = await chooseDelivery(mode, request, options);
  deliberate = delivery.ending === 'destroy' || delivery.opening === 'reset';
  const headers = { 'x-request-id': `req_${number}`, 'request-id': `req_${number}`, ...delivery.headers };
  await deliver({ ...delivery, headers }, response, gone);
}

async function chooseDelivery(mode: WireMode, request: ReceivedRequest, options: ExchangeOptions): Promise<Delivery> {
  // The script is not called, so that a rejected request does not use up a reply.
  if (options.strict && request.faults.length > 0) {
    return planStatus(mode, { type: 'status', status: 400, message: request.faults.join('; ') });
  }
  try {
    return planDelivery(mode, request, withCacheUsage(request, await options.nextReply(request), options.cache));
  } catch (error) {
    // Not a 5xx status, which clients would retry: the script would only fail again.
    const message = `The test script failed: ${errorMessage(error)}`;
    return planStatus(mode, { type: 'status', status: 400, message, code: 'script_failed' });
  }
}

/** A failed call is not billed and writes nothing to the cache. */
function withCacheUsage(request: ReceivedRequest, reply: Reply, cache: CacheSimulator | undefined): Reply {
  if (cache === undefined || reply.fault !== undefined) return reply;
  const { longCacheWrite: _, ...usage } = cache.serve(cache.read(request.apiMode, request.body));
  return { ...reply, usage: { ...usage, ...reply.usage } };
}

/** The model list in a format that clients of both services can read, or a 404 error. */
function planOther(method: string | undefined, path: string, models: readonly string[]): Delivery {
  const served = method === 'GET' && path.endsWith('/models');
  const chat = WIRE_MODES.chat_completions;
  if (!served)
    return planStatus(chat, { type: 'status', status: 404, message: `Unknown endpoint: ${method} ${path}.` });
  const data = models.map((id) => ({
    id,
    object: 'model',
    type: 'model',
    display_name: id,
    created: 0,
    created_at: '1970-01-01T00:00:00Z',
    owned_by: 'test',
  }));
  const list = { object: 'list', data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
  return planStatus(chat, { type: 'status', status: 200, body: list });
}

async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
