import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { JsonObject } from '../../base/index.ts';
import {
  arrange,
  createFaultPlan,
  type DeliveryFaults,
  hasEffect,
  type PlatformFault,
  sendWithFault,
} from '../platform-faults.ts';
import { listenOnLoopback } from '../telegram-server/listen.ts';
import { createTopic, type NtfyMessage, Refusal, type SentFile } from './topic.ts';

export type NtfyServerOptions = {
  /** How often a stream gets a sign of life. Default: 45,000 ms. */
  keepaliveMs?: number;
  /** Keep the process alive while the server is open. */
  holdProcess?: boolean;
};

/** A fake ntfy server on loopback with one topic, which only one account can read and write. */
export type NtfyServer = AsyncDisposable & {
  readonly url: string;
  readonly topic: string;
  /** The access token of the bot. */
  readonly token: string;
  /** A user publishes a message. Returns its id. */
  publish(message: { text?: string; title?: string; tags?: readonly string[]; file?: SentFile }): string;
  /** Adds any event to the streams, such as one of an unknown kind. */
  pushEvent(event: JsonObject): void;
  /** What the bot published, oldest first. */
  messages(): NtfyMessage[];
  /** The next calls of a kind fail. */
  failNext(kind: NtfyCall, fault: PlatformFault, times?: number): void;
  /** HTTP keeps the lines of a stream in order, and nothing is acknowledged, so only `copies` has an effect. */
  setDelivery(faults: DeliveryFaults): void;
  /** Every call with the token fails with 401 from now on. */
  revokeToken(): void;
  close(): Promise<void>;
};

export type NtfyCall = 'auth' | 'publish' | 'subscribe' | 'download';

const TOKEN = 'tk_a_test_token_of_the_fake_ntfy1';
const TOPIC = 'hermes-test';

export async function createNtfyServer(options: NtfyServerOptions = {}): Promise<NtfyServer> {
  const faults = createFaultPlan<NtfyCall>();
  const topic = createTopic(TOPIC);
  const state = { isRevoked: false, copies: 1, url: '' };
  const handle = createHandler({ topic, faults, state, keepaliveMs: options.keepaliveMs ?? 45_000 });
  const listener = (incoming: IncomingMessage, response: ServerResponse) => void handle(incoming, response);
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 0 }, listener);
  const { url, close } = await listenOnLoopback(server, options.holdProcess ?? false);
  state.url = url;
  return {
    url,
    topic: TOPIC,
    token: TOKEN,
    publish: ({ text = '', ...message }) => topic.publish({ text, ...message }, { url, isBot: false }),
    pushEvent: (event) => topic.push(event),
    messages: () => topic.sent,
    failNext: (kind, fault, times = 1) => faults.failNext((call) => call === kind, fault, times),
    setDelivery({ copies = 1 }) {
      state.copies = copies;
    },
    revokeToken() {
      state.isRevoked = true;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Handling = {
  topic: ReturnType<typeof createTopic>;
  faults: ReturnType<typeof createFaultPlan<NtfyCall>>;
  state: { isRevoked: boolean; copies: number; url: string };
  keepaliveMs: number;
};

type Request = { kind: NtfyCall; path: string; query: URLSearchParams; body: Buffer };

function createHandler(handling: Handling) {
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming).catch(() => undefined);
    if (body === undefined) return;
    const { pathname, searchParams: query } = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    let fault: PlatformFault | undefined;
    try {
      const kind = kindOf(incoming.method ?? '', pathname);
      requireAccess(handling, incoming.headers.authorization, pathname);
      fault = handling.faults.faultFor(kind);
      answer(handling, { kind, path: pathname, query, body }, response, fault);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reply(response, error.status, { code: error.code, http: error.status, error: error.message });
    }
  };
}

function kindOf(method: string, path: string): NtfyCall {
  const kinds: readonly [RegExp, string, NtfyCall][] = [
    [/^\/file\/[\w.]+$/, 'GET', 'download'],
    [/^\/[-\w]{1,64}\/auth$/, 'GET', 'auth'],
    [/^\/[-\w]{1,64}\/json$/, 'GET', 'subscribe'],
    [/^\/[-\w]{1,64}$/, 'PUT', 'publish'],
    [/^\/[-\w]{1,64}$/, 'POST', 'publish'],
  ];
  const kind = kinds.find(([pattern, accepted]) => pattern.test(path) && method === accepted)?.[2];
  if (kind === undefined) throw new Refusal(404, 40_401, 'page not found');
  return kind;
}

function requireAccess({ state }: Handling, authorization: string | undefined, path: string): void {
  if (authorization !== undefined && (authorization !== `Bearer ${TOKEN}` || state.isRevoked)) {
    throw new Refusal(401, 40_101, 'unauthorized');
  }
  const name = path.split('/')[1];
  const isOpen = name === 'file' || (name === TOPIC && authorization !== undefined);
  if (!isOpen) throw new Refusal(403, 40_301, 'forbidden');
}

function answer(
  { topic, state, keepaliveMs }: Handling,
  { kind, path, query, body }: Request,
  response: ServerResponse,
  fault: PlatformFault | undefined,
): void {
  const refused = { code: 50_000, error: 'internal server error' };
  if (fault?.type === 'rate_limit') {
    response.setHeader('retry-after', String(fault.retryAfter));
    return reply(response, 429, { code: 42_901, http: 429, error: 'limit reached: too many requests' });
  }
  if (fault?.type === 'status') return reply(response, fault.status, { ...refused, http: fault.status });
  if (kind === 'auth') return reply(response, 200, { success: true }, fault);
  if (kind === 'download') {
    const bytes = topic.readFile(path);
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    return undefined;
  }
  if (kind === 'publish') {
    const id = hasEffect(fault) ? topic.publishQuery(query, body, state.url) : '';
    const isRefused = fault?.type === 'accepted';
    return reply(response, isRefused ? fault.status : 200, isRefused ? refused : (topic.find(id) ?? {}), fault);
  }
  return subscribe({ topic, state, keepaliveMs }, query, response, fault);
}

function subscribe(
  { topic, state, keepaliveMs }: Pick<Handling, 'topic' | 'state' | 'keepaliveMs'>,
  query: URLSearchParams,
  response: ServerResponse,
  fault: PlatformFault | undefined,
): void {
  const start = [topic.describe({ event: 'open' }), ...topic.since(query.get('since'))];
  const copied = (events: readonly JsonObject[]) => arrange(events, { copies: state.copies });
  const lines = (events: readonly JsonObject[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const headers = { 'content-type': 'application/x-ndjson; charset=utf-8' };
  if (fault !== undefined) {
    sendWithFault(response, { status: 200, headers, body: Buffer.from(lines(copied(start))) }, fault);
    return;
  }
  response.writeHead(200, headers).write(lines(copied(start)));
  const stop = topic.listen((event) => response.write(lines(copied([event]))));
  const timer = setInterval(() => response.write(lines([topic.describe({ event: 'keepalive' })])), keepaliveMs);
  timer.unref();
  response.once('close', () => {
    clearInterval(timer);
    stop();
  });
}

function reply(response: ServerResponse, status: number, body: JsonObject, fault?: PlatformFault): void {
  const headers = { 'content-type': 'application/json' };
  sendWithFault(response, { status, headers, body: Buffer.from(`${JSON.stringify(body)}\n`) }, fault);
}
