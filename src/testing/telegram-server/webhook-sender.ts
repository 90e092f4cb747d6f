import { request } from 'node:http';
import type { JsonObject } from '../../base/index.ts';
import type { Updates, Webhook } from './updates.ts';

/** Telegram waits longer after each failure. */
const RETRY_MS = 20;

export type WebhookSender = {
  /** The statuses of all requests; undefined for those without a response. */
  readonly statuses: readonly (number | undefined)[];
  /** Where requests to the URL of the webhook arrive. */
  setAddress(address: string): void;
};

/** Sends updates to the webhook of a bot, one after the other and each until it is accepted. */
export function startWebhookSender(updates: Updates, signal: AbortSignal): WebhookSender {
  const statuses: (number | undefined)[] = [];
  let address: string | undefined;
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

  async function post(webhook: Webhook, update: JsonObject): Promise<string | undefined> {
    if (address === undefined) return 'Connection refused';
    const status = await send(address, webhook, JSON.stringify(update));
    statuses.push(status);
    if (status === undefined) return 'Connection refused';
    return status >= 200 && status <= 299 ? undefined : `Wrong response from the webhook: ${status}`;
  }

  async function work(): Promise<void> {
    while (!signal.aborted) {
      const [webhook, first, changed] = [updates.webhook, updates.first(), updates.changed()];
      if (webhook === undefined || first === undefined) {
        await Promise.race([changed, stopped]);
        continue;
      }
      const failures = [];
      for (const update of first.copies) failures.push(await post(webhook, update));
      webhook.lastError = failures.find((failure) => failure !== undefined);
      if (webhook.lastError === undefined) updates.confirmOne(first.id);
      else await Promise.race([new Promise((resolve) => setTimeout(resolve, RETRY_MS)), stopped]);
    }
  }

  void work();
  return {
    statuses,
    setAddress(next) {
      address = next;
    },
  };
}

function send(address: string, { url, secret }: Webhook, body: string): Promise<number | undefined> {
  const { host, pathname, search } = new URL(url);
  const headers: Record<string, string> = {
    host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  if (secret !== undefined) headers['x-telegram-bot-api-secret-token'] = secret;
  return new Promise((resolve) => {
    const outgoing = request(`${address}${pathname}${search}`, { method: 'POST', headers, agent: false });
    outgoing.once('response', (response) => {
      response.resume();
      response.once('close', () => resolve(response.complete ? response.statusCode : undefined));
    });
    outgoing.once('error', () => resolve(undefined));
    outgoing.end(body);
  });
}
