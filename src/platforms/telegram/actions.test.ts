import type { JsonObject } from '../../base/index.ts';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Channel, ChannelMessage } from '../../contracts/index.ts';
import { createTelegramServer, type TelegramServer, type TelegramUser } from '../../testing/index.ts';
import { redactSecrets } from '../../util/index.ts';
import { startReceiving } from '../../testing/index.ts';
import { toTelegramOptions } from './settings.ts';
import { openChannels } from '../index.ts';
import { settingsOf } from '../../../test/support/platform-settings.ts';
import { createTelegramChannel } from './telegram-channel.ts';

let server: TelegramServer;
let channel: Channel;
let ada: TelegramUser;

const open = (options: { baseUrl?: string; variables?: Record<string, string> } = {}) =>
  createTelegramChannel({
    token: server.token,
    baseUrl: `${server.url}/bot`,
    variables: {},
    timeouts: { pollMs: 100, callMs: 2000 },
    ...options,
  });

beforeEach(async () => {
  server = await createTelegramServer();
  ada = server.addUser({ firstName: 'Ada' });
  server.send({ from: ada, text: '/start' });
  channel = open();
});

afterEach(async () => {
  await channel.close();
  await server.close();
});

const soon = () => AbortSignal.timeout(20_000);
const target = () => ({ chatId: String(ada.id) });
const send = (message: Omit<ChannelMessage, 'target'>) =>
  channel.send({ target: target(), ...message }, { key: 'a', mayHaveArrived: false, signal: soon() });

describe('the bot', () => {
  it('identifies itself', async () => {
    expect(await channel.identify(soon())).toEqual({
      account: `telegram:${server.bot.id}`,
      name: `@${server.bot.username}`,
    });
  });

  it('sends buttons and receives who pressed one', async () => {
    const buttons = [
      [{ label: 'Approve', data: 'q1:yes', style: 'primary' as const }],
      [{ label: 'Deny', data: 'q1:no' }],
    ];
    const { id } = await send({ content: { text: 'Run it?' }, buttons });
    expect(server.messages(ada.id)[0]?.buttons).toEqual([
      [{ text: 'Approve', callback_data: 'q1:yes', style: 'primary' }],
      [{ text: 'Deny', callback_data: 'q1:no' }],
    ]);
    const query = server.press({ from: ada, messageId: Number(id), data: 'q1:yes' });
    const receiving = startReceiving(channel);
    await receiving.waitFor(2);
    await receiving.stop();
    const event = receiving.events[1];
    expect(event).toMatchObject({
      id: `action/${query}`,
      kind: 'action',
      source: { userId: String(ada.id), chatId: String(ada.id) },
      content: { action: { id: query, data: 'q1:yes', messageId: id } },
    });
    const action = { id: query, data: 'q1:yes', messageId: id };
    await channel.acknowledgeAction?.(action, 'x'.repeat(300), soon());
    // Telegram accepts one answer only.
    await channel.acknowledgeAction?.(action, 'again', soon());
    expect(server.answers).toEqual([{ id: query, text: 'x'.repeat(200) }]);
    await channel.edit(target(), id, { text: 'Approved' }, soon());
    expect(server.messages(ada.id)[0]).toMatchObject({ text: 'Approved', buttons: [] });
  });

  it('rejects button data above 64 bytes before it is sent', async () => {
    const buttons = [[{ label: 'a', data: 'é'.repeat(33) }]];
    await expect(send({ content: { text: 'a' }, buttons })).rejects.toMatchObject({ fault: 'rejected' });
    expect(server.calls.map(({ method }) => method)).not.toContain('sendMessage');
  });

  it('sends files by their type, and as a document if Telegram cannot show them', async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
    const file = (name: string, mediaType: string, bytes: Uint8Array) => ({ name, mediaType, bytes });
    await send({ file: { ...file('a.png', 'image/png', png), caption: 'a picture' } });
    await send({ file: { ...file('b.ogg', 'audio/ogg', Buffer.from('OggS')), isVoice: true } });
    await send({ file: file('c".txt\r\nx: y', 'text/plain', Buffer.from('text')) });
    await send({ file: file('not-an-image.png', 'image/png', Buffer.from('text')) });
    expect(server.messages(ada.id)).toMatchObject([
      { text: 'a picture', file: { kind: 'photo', name: 'a.png', bytes: png } },
      { file: { kind: 'voice', mediaType: 'audio/ogg' } },
      { file: { kind: 'document', name: 'c%22.txt%0D%0Ax: y', mediaType: 'text/plain' } },
      { file: { kind: 'document', name: 'not-an-image.png' } },
    ]);
    const huge = file('d.bin', 'application/octet-stream', Buffer.alloc(50 * 1024 * 1024 + 1));
    await expect(send({ file: huge })).rejects.toMatchObject({ fault: 'too_long' });
  });

  verifies('GW-31', 'shows drafts in direct chats', async () => {
    await channel.showDraft?.(target(), { id: 'turn-1', content: { text: 'Hel' } }, soon());
    await channel.showDraft?.(target(), { id: 'turn-1', content: { text: 'Hello' } }, soon());
    const [first, second] = server.drafts;
    expect(server.drafts.map(({ text }) => text)).toEqual(['Hel', 'Hello']);
    expect(first?.draftId).toBe(second?.draftId);
    const group = server.addGroup();
    const drafted = channel.showDraft?.({ chatId: String(group.id) }, { id: 'a', content: { text: 'a' } }, soon());
    await expect(drafted).rejects.toMatchObject({ fault: 'rejected' });
  });

  it('types, and reacts with what Telegram offers', async () => {
    await channel.showTyping?.(target(), soon());
    expect(server.typing).toEqual([ada.id]);
    for (const reaction of ['👀', '✅', '❌', undefined]) await channel.react?.(target(), '1', reaction, soon());
    const sent = server.calls.filter(({ method }) => method === 'setMessageReaction');
    expect(sent.map(({ parameters, error }) => [JSON.stringify(parameters['reaction']), error])).toEqual([
      ['[{"type":"emoji","emoji":"👀"}]', undefined],
      ['[{"type":"emoji","emoji":"👍"}]', undefined],
      ['[{"type":"emoji","emoji":"👎"}]', undefined],
      ['[]', undefined],
    ]);
    await expect(channel.react?.(target(), '1', '🦄', soon())).rejects.toMatchObject({ fault: 'rejected' });
  });

  it('offers commands under names that Telegram allows, and receives them under their own', async () => {
    const commands = Array.from({ length: 150 }, (_, index) => ({ name: `skill-${index}`, description: 'A skill' }));
    await channel.offerCommands?.([{ name: 'Reload-Skills', description: 'x'.repeat(300) }, ...commands], soon());
    expect(server.commands).toHaveLength(100);
    expect(server.commands[0]).toEqual({ command: 'reload_skills', description: 'x'.repeat(256) });
    server.send({ from: ada, text: '/reload_skills now' });
    const receiving = startReceiving(channel);
    await receiving.waitFor(2);
    await receiving.stop();
    expect(receiving.events[1]?.content.text).toBe('/Reload-Skills now');
  });

  it('reports that a user has blocked it', async () => {
    server.block(ada);
    await expect(send({ content: { text: 'hi' } })).rejects.toMatchObject({ fault: 'forbidden' });
  });

  it('deletes a webhook that would keep updates from it', async () => {
    server.setWebhook(true);
    const receiving = startReceiving(channel);
    await receiving.waitFor(1);
    await receiving.stop();
    expect(receiving.events).toHaveLength(1);
  });

  it('follows update ids that become lower', async () => {
    const receiving = startReceiving(channel, { cursor: { offset: 1 } });
    await receiving.waitFor(1);
    await receiving.stop();
    const { offset } = receiving.cursor as { offset: number };
    server.send({ from: ada, text: 'later' });
    server.setDelivery({ lostAcknowledgements: 1 });
    // As if the stored position came from a time with higher ids.
    const again = startReceiving(channel, { cursor: { offset: offset + 1_000_000 } });
    await again.waitFor(1);
    await again.waitForProof();
    expect(again.cursor).toEqual({ offset: offset + 1 });
    expect(server.pendingUpdates).toBe(0);
    await again.stop();
  });

  it('says that another program polls with the same token', async () => {
    const first = startReceiving(open());
    await first.waitFor(1);
    const second = startReceiving(open());
    const error = await Promise.race([first.ended, second.ended]);
    expect(error).toMatchObject({ fault: 'transient', retryAfterMs: 30_000 });
    expect((error as Error).message).toContain('Another program');
    await Promise.all([first.stop(), second.stop()]);
  });

  it.each([
    [undefined, undefined, undefined],
    ['http://10.0.0.1:8081', 'http://10.0.0.1:8081/bot', 'http://10.0.0.1:8081/file/bot'],
    ['http://10.0.0.1:8081/', 'http://10.0.0.1:8081/bot', 'http://10.0.0.1:8081/file/bot'],
    ['http://10.0.0.1:8081/bot', 'http://10.0.0.1:8081/bot', 'http://10.0.0.1:8081/file/bot'],
  ])('reads base_url %j', async (base_url, baseUrl, fileBaseUrl) => {
    const extra: JsonObject = base_url === undefined ? {} : { base_url };
    const options = await readOptions({ token: 'a', extra }, {});
    expect([options?.baseUrl, options?.fileBaseUrl]).toEqual([baseUrl, fileBaseUrl]);
  });

  it('reads the token, the proxy and link previews', async () => {
    expect(await readOptions({}, {})).toBeUndefined();
    const extra = { disable_link_previews: true, base_file_url: 'https://f.example' };
    const variables = { TELEGRAM_BOT_TOKEN: 'from-env', TELEGRAM_PROXY: 'http://p:1' };
    expect(await readOptions({ token: 'from-config', extra }, variables)).toMatchObject({
      token: 'from-env',
      linkPreviews: false,
      fileBaseUrl: 'https://f.example/file/bot',
      proxy: { setting: 'TELEGRAM_PROXY', url: 'http://p:1' },
    });
  });

  it('is opened by its name', async () => {
    const settings = await settingsOf('telegram', { values: { token: server.token } });
    if (settings === undefined) throw new Error('no settings');
    const [opened] = await openChannels({ ...settings, baseUrl: server.url });
    expect((await opened?.identify(soon()))?.name).toBe(`@${server.bot.username}`);
    await opened?.close();
    await expect(openChannels({ ...settings, name: 'pigeon' })).rejects.toThrow('pigeon');
  });
});

async function readOptions(values: JsonObject, variables: Record<string, string>) {
  const settings = await settingsOf('telegram', { values, variables });
  return settings && toTelegramOptions(settings);
}

describe('the network', () => {
  it('is transient before anything was written', async () => {
    const port = await freePort();
    const closed = open({ baseUrl: `http://127.0.0.1:${port}/bot` });
    const sending = closed.send(
      { target: target(), content: { text: 'a' } },
      { key: 'a', mayHaveArrived: false, signal: soon() },
    );
    const error = await sending.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: 'transient' });
    expect((error as Error).message).toContain('connection refused');
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain(server.token);
  });

  it('uses a proxy for https, with the login of the proxy and without the token', async () => {
    const asked: string[] = [];
    const proxy = createServer((socket) => {
      socket.once('data', (bytes) => {
        asked.push(bytes.toString());
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const proxied = open({
      baseUrl: 'https://telegram.invalid/bot',
      variables: { HTTPS_PROXY: `http://u:p@127.0.0.1:${port}` },
    });
    const error = await proxied.identify(soon()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: 'transient', hint: expect.stringMatching(/HTTPS_PROXY/i) as string });
    expect(asked[0]).toMatch(/^CONNECT telegram\.invalid:443 /);
    expect(asked[0]).toContain(Buffer.from('u:p').toString('base64'));
    expect(asked[0]).not.toContain(server.token);
    proxy.close();
  });

  it('never sends the token through a proxy unencrypted', async () => {
    const proxied = open({ baseUrl: 'http://telegram.invalid/bot', variables: { HTTP_PROXY: 'http://127.0.0.1:9' } });
    await expect(proxied.identify(soon())).rejects.toMatchObject({
      fault: 'transient',
      message: expect.stringContaining('unencrypted') as string,
    });
  });

  it.each([
    [{ HTTPS_PROXY: 'socks5://user:secret@127.0.0.1:9' }, /HTTPS_PROXY.*socks5/],
    [{ SSL_CERT_FILE: '/missing.pem' }, /SSL_CERT_FILE: could not read/],
  ])('reports the wrong setting %j', async (variables, message) => {
    const wrong = open({ baseUrl: 'https://telegram.invalid/bot', variables });
    const error = await wrong.identify(soon()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: 'fatal', message: expect.stringMatching(message) as string });
    expect((error as Error).message).not.toContain('secret');
  });

  verifies('OBS-4', 'masks the token wherever text is redacted', () => {
    expect(redactSecrets(`POST ${server.url}/bot${server.token}/getMe`)).not.toContain(server.token.slice(12));
  });

  it.each(['', 'nonsense', '1:../../x', '123456:AAAA AAAA AAAA AAAA AAAA AAAA'])(
    'rejects the token %j',
    async (token) => {
      const invalid = createTelegramChannel({ token, baseUrl: `${server.url}/bot`, variables: {} });
      await expect(invalid.identify(soon())).rejects.toMatchObject({ fault: 'fatal' });
      expect(server.calls).toEqual([]);
    },
  );
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
