import { createHmac } from 'node:crypto';
import { type Clock, errorMessage, HermesError, isJsonObject, type JsonValue } from '../../base/index.ts';
import { ChannelError, type ReceiveOptions, silentLogger } from '../../contracts/index.ts';
import {
  createKeyAuthenticator,
  HttpError,
  type HttpServer,
  type HttpServerOptions,
  isLoopbackHost,
  startHttpServer,
} from '../../http/index.ts';
import { rememberSecrets } from '../../util/index.ts';
import type { BotApi } from './bot-api.ts';
import { textAt } from '../json-fields.ts';
import { readUpdate, sortUpdates, UPDATE_KINDS, type UpdateReader } from './read-update.ts';

export type WebhookOptions = {
  /** The public URL to which Telegram sends updates. A proxy passes them on to `host` and `port`. */
  url: string;
  host: string;
  port: number;
  /** What Telegram sends with each update; undefined for a secret that is derived from the token. */
  secret: string | undefined;
  /** Called with the actual port; for tests, which use any free one. */
  onListening?(port: number): void;
};

type Receiving = ReceiveOptions & { webhook: WebhookOptions; token: string; checkMs: number; clock: Clock };

const SECRET_HEADER = 'x-telegram-bot-api-secret-token';
/** How long updates that are being stored may take when receiving ends. */
const CLOSE_MS = 5000;

/**
 * Receives updates as requests of Telegram until the signal is aborted. A request is answered when its update is stored;
 * until then, Telegram sends it again. The webhook stays set afterwards, so that Telegram keeps new updates.
 */
export async function receiveByWebhook(api: BotApi, reader: UpdateReader, receiving: Receiving): Promise<void> {
  const { webhook, signal } = receiving;
  const secret = webhook.secret ?? deriveSecret(receiving.token);
  if (!/^[\w-]{1,256}$/.test(secret))
    throw new ChannelError('fatal', 'TELEGRAM_WEBHOOK_SECRET may have letters, digits, _ and - only.');
  rememberSecrets([secret]);
  const url = URL.parse(webhook.url);
  if (url?.protocol !== 'https:')
    throw new ChannelError('fatal', `TELEGRAM_WEBHOOK_URL is not an https URL: ${webhook.url}`);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const server = await listen({
    host: webhook.host,
    port: webhook.port,
    // In a network of containers, a proxy uses names that are not known here.
    hosts: isLoopbackHost(webhook.host) ? [url.hostname] : ['*'],
    logger: silentLogger,
    routes: [
      {
        method: 'POST',
        path: decodeURI(url.pathname),
        access: createKeyAuthenticator([{ name: 'telegram', secret }], SECRET_HEADER),
        handle: createUpdateHandler(reader, receiving, failed.reject),
      },
    ],
  });
  webhook.onListening?.(server.port);
  try {
    const parameters = { url: webhook.url, secret_token: secret, allowed_updates: UPDATE_KINDS };
    const register = () => api.call('setWebhook', parameters, { signal, isRepeatable: true });
    await Promise.race([keepRegistered(api, receiving, register), failed.promise]);
  } finally {
    await server.close(CLOSE_MS);
  }
}

/** Only who knows the token can compute it, and Telegram does. */
function deriveSecret(token: string): string {
  return createHmac('sha256', token).update('webhook').digest('hex');
}

async function listen(options: HttpServerOptions): Promise<HttpServer> {
  return startHttpServer(options).catch((error: unknown) => {
    if (!(error instanceof HermesError)) throw error;
    const hint = 'Choose another port with TELEGRAM_WEBHOOK_PORT, or another address with TELEGRAM_WEBHOOK_HOST.';
    throw new ChannelError('fatal', error.message, { hint });
  });
}

/** Stores updates one after the other, in the order in which they arrive. */
function createUpdateHandler(reader: UpdateReader, { deliver, onAlive }: Receiving, fail: (error: unknown) => void) {
  let last: Promise<unknown> = Promise.resolve();
  const store = async (update: JsonValue) => {
    const [read] = sortUpdates(isJsonObject(update) ? [update] : []);
    if (read === undefined) throw new HttpError(400, 'no_update', 'The body is not an update.');
    const event = readUpdate(read.update, reader);
    // The cursor is that of long polling, so that the bot can be switched between the two.
    await deliver(event === undefined ? [] : [event], { offset: read.id + 1 }).catch((error: unknown) => {
      fail(error);
      throw new HttpError(503, 'not_stored', `The update was not stored: ${errorMessage(error)}`);
    });
    onAlive();
  };
  return async (request: { json(): Promise<JsonValue> }) => {
    const update = await request.json();
    const stored = last.then(() => store(update));
    last = stored.catch(() => undefined);
    await stored;
    return { json: {} };
  };
}

/** Sets the webhook, and again if another program changed it. Each answer proves that Telegram can be reached. */
async function keepRegistered(
  api: BotApi,
  { webhook, onAlive, signal, checkMs, clock }: Receiving,
  register: () => Promise<unknown>,
): Promise<never> {
  await register();
  for (;;) {
    onAlive();
    await clock.sleep(checkMs, signal);
    const info = await api.call('getWebhookInfo', {}, { signal, isRepeatable: true });
    if (!isJsonObject(info) || textAt(info, 'url') !== webhook.url) await register();
  }
}
