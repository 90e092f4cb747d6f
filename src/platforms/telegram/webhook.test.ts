import { channelRunner } from '../../../test/support/channel-runner.ts';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import {
  createTelegramServer,
  describeChannel,
  type PlatformFault,
  startReceiving,
  type TelegramServer,
  textsOf,
} from '../../testing/index.ts';
import { openTelegramBench } from '../../../test/support/telegram-bench.ts';
import { createTelegramChannel } from './telegram-channel.ts';
import type { WebhookOptions } from './webhook.ts';

const URL_OF_BOT = 'https://bot.example/hooks/telegram';
const TIMEOUTS = { pollMs: 100, graceMs: 1200, callMs: 1200, uploadMs: 4000, transferMs: 200 };

function openChannel(
  server: TelegramServer,
  webhook: Partial<WebhookOptions> | 'polling' = {},
  callMs = TIMEOUTS.callMs,
) {
  const onListening = (port: number) => server.proxyWebhook(`http://127.0.0.1:${port}`);
  const used = { url: URL_OF_BOT, host: '127.0.0.1', port: 0, secret: 'the-secret', onListening };
  return createTelegramChannel({
    token: server.token,
    baseUrl: `${server.url}/bot`,
    fileBaseUrl: `${server.url}/file/bot`,
    variables: {},
    timeouts: { ...TIMEOUTS, callMs },
    ...(webhook !== 'polling' && { webhook: { ...used, ...webhook } }),
  });
}

const openBench = () =>
  openTelegramBench({
    open: (server, callMs) => openChannel(server, {}, callMs),
    faults: (server) => ({
      // Each request carries one update, so an adapter cannot restore the order of several.
      setDelivery: ({ order: _, ...faults }) => server.setDelivery(faults),
      failReceiving: (fault) => server.setFaults(failOnce('getWebhookInfo', 'setWebhook', fault)),
    }),
  });

/** The next call of either method fails. */
function failOnce(first: string, second: string, fault: PlatformFault) {
  let isLeft = true;
  return ({ method }: { method: string }) => {
    if (!isLeft || (method !== first && method !== second)) return undefined;
    isLeft = false;
    return fault;
  };
}

describeChannel('telegram by webhook', openBench, channelRunner);

describe('the webhook of Telegram', () => {
  async function open(webhook: Partial<WebhookOptions> | 'polling' = {}) {
    const server = await createTelegramServer();
    const user = server.addUser({ firstName: 'Ada' });
    let port = 0;
    const onListening = (used: number) => {
      port = used;
      server.proxyWebhook(`http://127.0.0.1:${used}`);
    };
    const channel = openChannel(server, webhook === 'polling' ? webhook : { onListening, ...webhook });
    onTestFinished(async () => {
      await channel.close();
      await server.close();
    });
    const post = async (headers: Record<string, string>, body: string) =>
      (await fetch(`http://127.0.0.1:${port}/hooks/telegram`, { method: 'POST', headers, body })).status;
    return { server, user, channel, post };
  }

  verifies(['GW-1', 'GW-26'], 'accepts updates with the secret only, and answers when they are stored', async () => {
    const { server, user, channel, post } = await open();
    const receiving = startReceiving(channel);
    await receiving.waitForProof();
    const json = { 'content-type': 'application/json' };
    const update = JSON.stringify({ update_id: 1, message: { message_id: 9, chat: { id: 1, type: 'private' } } });
    expect(await post(json, update)).toBe(401);
    expect(await post({ ...json, 'x-telegram-bot-api-secret-token': 'the-secreT' }, update)).toBe(401);
    const known = { ...json, 'x-telegram-bot-api-secret-token': 'the-secret' };
    for (const body of ['', '[]', '"x"', '{}', '{"update_id":"1"}', '{"update_id":1.5}', '{'])
      expect(await post(known, body)).toBe(400);
    expect(receiving.events).toEqual([]);
    server.send({ from: user, text: 'hello' });
    await receiving.waitFor(1);
    expect(textsOf(receiving.events)).toEqual(['hello']);
    await receiving.stop();
  });

  it('answers 503 while an update cannot be stored, and Telegram sends it again', async () => {
    const { server, user, channel } = await open();
    server.send({ from: user, text: 'hello' });
    const failing = startReceiving(channel, { beforeStoring: () => Promise.reject(new Error('the disk is full')) });
    expect(await failing.ended).toEqual(new Error('the disk is full'));
    const receiving = startReceiving(channel);
    await receiving.waitFor(1);
    expect(server.webhookStatuses[0]).toBe(503);
    await receiving.stop();
  });

  it('uses a secret of its own if none is set, which is not the token', async () => {
    const { server, channel } = await open({ secret: undefined });
    const receiving = startReceiving(channel);
    await receiving.waitForProof();
    const sent = server.calls.find(({ method }) => method === 'setWebhook')?.parameters;
    expect(sent).toMatchObject({ url: URL_OF_BOT, secret_token: expect.stringMatching(/^[\da-f]{64}$/) });
    await receiving.stop();
  });

  it('sets the webhook again if another program deleted it', async () => {
    const { server, user, channel } = await open();
    const receiving = startReceiving(channel);
    await receiving.waitForProof();
    server.setWebhook(false);
    server.send({ from: user, text: 'hello' });
    await receiving.waitFor(1);
    expect(server.calls.filter(({ method }) => method === 'setWebhook')).toHaveLength(2);
    await receiving.stop();
  });

  it('continues by polling where the webhook ended, and the other way round', async () => {
    const { server, user, channel } = await open();
    server.send({ from: user, text: 'one' });
    const first = startReceiving(channel);
    await first.waitFor(1);
    await first.stop();
    server.send({ from: user, text: 'two' });
    const polling = openChannel(server, 'polling');
    onTestFinished(() => polling.close());
    const second = startReceiving(polling, { cursor: first.cursor });
    await second.waitFor(1);
    await second.waitForProof();
    await second.stop();
    server.send({ from: user, text: 'three' });
    const third = startReceiving(channel, { cursor: second.cursor });
    await third.waitFor(1);
    await third.stop();
    expect([second, third].map(({ events }) => textsOf(events))).toEqual([['two'], ['three']]);
  });

  it('is fatal with settings that cannot work', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    for (const webhook of [{ port }, { url: 'http://bot.example/' }, { url: 'nothing' }, { secret: 'two words' }]) {
      const { channel } = await open(webhook);
      expect(await startReceiving(channel).ended).toMatchObject({ fault: 'fatal' });
    }
  });
});
