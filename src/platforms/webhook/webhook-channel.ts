import { type Clock, errorMessage, HermesError, type JsonValue } from '../../base/index.ts';
import { type WebhookServerSettings, webhookUrl } from '../../config/gateway/index.ts';
import {
  type AnswerDelivery,
  type Channel,
  ChannelError,
  type ChannelFacts,
  type ChannelMessage,
  type Logger,
  type MessageContent,
  type ReceiveOptions,
  type SendOptions,
  silentLogger,
} from '../../contracts/index.ts';
import {
  HttpError,
  type HttpRequest,
  type HttpResponse,
  type HttpServer,
  type HttpServerOptions,
  isLoopbackHost,
  startHttpServer,
} from '../../http/index.ts';
import { isSilentAnswer, takeStart } from '../../util/index.ts';
import { postComment } from './github-comment.ts';
import { deliveryId, eventNames, isAccepted, requireObject, toEvent } from './read-request.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';
import { isSigned, timedSignature } from './signature.ts';
import { createUsedSignatures, type UsedSignatures } from './used-signatures.ts';
import { createWindowLimit, type WindowLimit } from './window-limit.ts';

export type WebhookChannelOptions = {
  settings: WebhookServerSettings;
  /** The home directory, with the subscriptions. */
  home: string;
  /** The environment of the GitHub CLI. */
  variables: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
  /** Stores a message for a chat of another platform. A second one with the same key is not stored. */
  forward(message: ForwardedMessage): Promise<void>;
  onProblem(problem: string): void;
  /** Called with the actual port; for tests, which use any free one. */
  onListening?(port: number): void;
};

/** `target` names a chat as `Messaging.findTarget` does. */
export type ForwardedMessage = { target: string; text: string; key: string };

/** The limit of a comment on GitHub, with space for our mark. Other platforms split the text again. */
const MAX_TEXT = 65_000;
const ALIVE_MS = 10_000;
/** How long requests that are being stored may take when receiving ends. */
const CLOSE_MS = 5000;

const FACTS: ChannelFacts = {
  platform: 'webhook',
  maxText: MAX_TEXT,
  textUnit: 'utf16',
  hasButtons: false,
  streaming: 'none',
  maxUploadBytes: 0,
  maxDownloadBytes: 0,
  repeats: 'lookup',
  rates: { account: { count: 120, perMs: 60_000 }, chat: { count: 20, perMs: 60_000 } },
  silenceMs: 60_000,
};

/**
 * Requests of other programs as a platform: each delivery is a chat, its payload is a message, and the answer goes to
 * the place that the route names.
 */
export function createWebhookChannel(options: WebhookChannelOptions): Channel {
  const { settings } = options;
  const limit = createWindowLimit(settings.ratePerMinute, options.clock);
  const table = createRouteTable(options);
  const unsupported = () => Promise.reject(new ChannelError('rejected', 'A webhook has no such operation.'));
  return {
    facts: FACTS,
    render: splitText,
    identify: async () => ({ account: 'webhook:main', name: webhookUrl(settings, '') }),
    receive: (receiving) => receiveRequests(options, { receiving, limit, table }),
    async send(message, how) {
      await send(options, message, how);
      return { id: how.key };
    },
    edit: unsupported,
    fetchFile: unsupported,
    close: async () => undefined,
  };
}

type Receiver = { receiving: ReceiveOptions; limit: WindowLimit; table: RouteTable };
type Handling = Receiver & { used: UsedSignatures; fail(error: unknown): void };

/** Receives requests until the signal is aborted. A request is answered when it is stored. */
async function receiveRequests(options: WebhookChannelOptions, receiver: Receiver): Promise<void> {
  const { settings, clock } = options;
  const { signal, onAlive } = receiver.receiving;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const used = createUsedSignatures(receiver.receiving.cursor, () => clock.now());
  const server = await listen({
    host: settings.host,
    port: settings.port,
    hosts: hostsOf(settings),
    logger: silentLogger,
    clock,
    routes: [
      { method: 'GET', path: '/health', access: 'public', handle: () => ({ json: HEALTHY }) },
      {
        method: 'POST',
        path: '/webhooks/:route',
        access: 'signed',
        maxBodyBytes: settings.maxBodyBytes,
        handle: (request) => handleRequest(options, { ...receiver, used, fail: failed.reject }, request),
      },
    ],
  });
  options.onListening?.(server.port);
  try {
    const waiting = async () => {
      for (;;) {
        onAlive();
        await clock.sleep(ALIVE_MS, signal);
      }
    };
    await Promise.race([waiting(), failed.promise]);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    await server.close(CLOSE_MS);
  }
}

const HEALTHY = { status: 'ok', platform: 'webhook' };

/** Every request needs a signature, so beyond this machine, where proxies use other names, any host name will do. */
function hostsOf({ publicUrl, host }: WebhookServerSettings): string[] {
  const url = publicUrl === undefined ? null : URL.parse(publicUrl);
  if (url !== null) return [url.hostname];
  return isLoopbackHost(host) ? [] : ['*'];
}

async function listen(options: HttpServerOptions): Promise<HttpServer> {
  return startHttpServer(options).catch((error: unknown) => {
    if (!(error instanceof HermesError)) throw error;
    throw new ChannelError('fatal', error.message, { hint: 'Choose another port with WEBHOOK_PORT.' });
  });
}

async function handleRequest(
  { clock }: WebhookChannelOptions,
  { receiving, limit, table, used, fail }: Handling,
  request: HttpRequest,
): Promise<HttpResponse> {
  const route = await table.find(request.parameters['route'] ?? '');
  if (route === undefined) throw new HttpError(404, 'unknown_route', 'There is no webhook of this name.');
  const body = await request.body();
  const { header } = request;
  if (!isSigned({ header, body }, route.secret, clock.now()))
    throw new HttpError(401, 'invalid_signature', 'The request has no valid signature.');
  requireRate(limit, route.name);
  const payload = requireObject(await readPayload(request));
  const names = eventNames({ header, payload });
  const event = names[0] ?? 'unknown';
  if (!isAccepted(route, names)) return { json: { status: 'ignored', event } };
  const id = deliveryId({ header, body });
  const made = toEvent(route, { header, payload, body, receivedAt: clock.now() }, id);
  const answer = { route: route.name, event, delivery_id: id };
  // Its id is not signed, so a recorded request could be sent again with another one.
  const timed = timedSignature({ header });
  if (timed !== undefined && !used.take(timed)) return { json: { status: 'duplicate', ...answer } };
  const added = await receiving.deliver([made], used.toCursor()).catch((error: unknown) => {
    if (timed !== undefined) used.giveBack(timed);
    fail(error);
    throw new HttpError(503, 'not_stored', `The request was not stored: ${errorMessage(error)}`, RETRY);
  });
  if (added === 0) return { json: { status: 'duplicate', ...answer } };
  return { status: 202, json: { status: 'accepted', ...answer } };
}

const RETRY = { 'retry-after': '5' };

function requireRate(limit: WindowLimit, name: string): void {
  const wait = limit.take(name);
  if (wait === 0) return;
  const seconds = String(Math.ceil(wait / 1000));
  const message = `The webhook gets too many requests. Retry after ${seconds} s.`;
  throw new HttpError(429, 'rate_limited', message, { 'retry-after': seconds });
}

/** The sender is known, so a wrong media type is a mistake and no attack. */
async function readPayload(request: HttpRequest): Promise<JsonValue> {
  return request.json().catch((thrown: unknown) => {
    if (!(thrown instanceof HttpError) || thrown.status !== 415) throw thrown;
    throw new HttpError(400, thrown.code, thrown.message);
  });
}

/** Delivers an answer. Throws `ChannelError` only if nothing was delivered. */
async function send(
  { logger, forward, variables }: WebhookChannelOptions,
  { target, content }: ChannelMessage,
  { key, mayHaveArrived, signal }: SendOptions,
): Promise<void> {
  const text = content?.text ?? '';
  const delivery: AnswerDelivery = isSilentAnswer(text) ? { to: 'log' } : (target.delivery ?? { to: 'log' });
  switch (delivery.to) {
    case 'log':
      return logger.info('answer to a webhook', { chat: target.chatId, answer: text });
    case 'github_comment':
      return postComment({ ...delivery, text, key, mayHaveArrived }, { variables, signal });
    case 'chat':
      return forward({ target: delivery.target, text, key });
  }
}

/** Markdown stays as it is; only a text that is too long for a comment is split, at the end of a line if possible. */
function splitText(markdown: string): MessageContent[] {
  const parts: MessageContent[] = [];
  let rest = markdown.trim();
  while (rest.length > MAX_TEXT) {
    const start = takeStart(rest, MAX_TEXT);
    const end = start.lastIndexOf('\n') > 0 ? start.lastIndexOf('\n') : start.length;
    parts.push({ text: rest.slice(0, end) });
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? parts : [...parts, { text: rest }];
}
