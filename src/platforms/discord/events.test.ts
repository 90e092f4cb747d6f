import http from 'node:http';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import type { ChannelEvent } from '../../contracts/index.ts';
import { createDiscordServer, type DiscordServer, type DiscordUser } from '../../testing/index.ts';
import { type Receiving, startReceiving, textsOf } from '../../testing/index.ts';
import { createDiscordChannel, type DiscordOptions } from './discord-channel.ts';
import { connectGateway } from './gateway-connection.ts';

let server: DiscordServer;
let ada: DiscordUser;
let receiving: Receiving | undefined;

beforeEach(async () => {
  server = await createDiscordServer({ heartbeatMs: 40 });
  ada = server.addUser({ name: 'Ada' });
});
afterEach(async () => {
  await receiving?.stop();
  receiving = undefined;
  await server.close();
});

function open(options: Partial<DiscordOptions> = {}) {
  return createDiscordChannel({
    token: server.token,
    baseUrl: `${server.url}/api`,
    variables: {},
    timeouts: { callMs: 2000, silenceMs: 2000, identifyMs: 10 },
    ...options,
  });
}

async function connect(
  options: Partial<DiscordOptions> & { cursor?: JsonObject | undefined } = {},
): Promise<Receiving> {
  const { cursor, ...rest } = options;
  receiving = startReceiving(open(rest), { cursor });
  await receiving.waitForProof();
  return receiving;
}

/** The events until one with this text, which is sent now. */
async function eventsBefore(current: Receiving, end = 'the end'): Promise<ChannelEvent[]> {
  server.send({ from: ada, text: end });
  for (let count = 1; textsOf(current.events).at(-1) !== end; count += 1) await current.waitFor(count);
  return current.events.slice(0, -1);
}

describe('messages', () => {
  it('describes a direct message', async () => {
    const current = await connect();
    const id = server.send({ from: ada, text: 'hello' });
    await current.waitFor(1);
    expect(current.events[0]).toMatchObject({
      id: `message/${id}`,
      kind: 'message',
      source: { platform: 'discord', chatType: 'dm', chatId: ada.dmId, userId: ada.id, userName: 'Ada' },
      content: { messageId: id, text: 'hello', files: [], isAddressed: true },
    });
    expect(current.events[0]?.source.threadId).toBeUndefined();
  });

  it('describes channels and threads, and who is addressed', async () => {
    const channel = server.addChannel({ guild: 'Team', name: 'general', topic: 'anything' });
    const thread = server.addThread(channel, 'ideas');
    const current = await connect();
    const later = server.addThread(channel, 'later');
    const channelId = channel.id;
    server.send({ from: ada, channelId, text: 'to all' });
    server.send({ from: ada, channelId, text: `<@${server.bot.id}> to you and <@${ada.id}>` });
    server.send({ from: ada, channelId: thread.id, text: `hey <@!${server.bot.id}>` });
    server.send({ from: ada, channelId: later.id, text: '@everyone' });
    await current.waitFor(4);
    const [all, mention, inThread, everyone] = current.events;
    expect(all).toMatchObject({
      source: { chatType: 'group', chatId: channelId, chatName: 'Team / #general', chatTopic: 'anything' },
      content: { text: 'to all', isAddressed: false },
    });
    expect(mention).toMatchObject({ content: { text: 'to you and @Ada', isAddressed: true } });
    expect(inThread).toMatchObject({
      source: { chatType: 'thread', chatId: thread.id, threadId: thread.id, chatName: 'Team / #ideas' },
      content: { text: 'hey @hermes', isAddressed: true },
    });
    expect(everyone).toMatchObject({ source: { chatType: 'thread' }, content: { isAddressed: false } });
  });

  it('knows a thread after a restart, although Discord does not describe it again', async () => {
    const thread = server.addThread(server.addChannel(), 'ideas');
    const first = await connect();
    await waitUntil(() => expect(first.cursor).toBeDefined());
    const { cursor } = first;
    await first.stop();
    const current = await connect({ cursor });
    expect(server.gateway.state).toMatchObject({ identifies: 1, resumes: 1 });
    server.send({ from: ada, channelId: thread.id, text: `<@${server.bot.id}> hello` });
    await current.waitFor(1);
    expect(current.events[0]).toMatchObject({ source: { chatType: 'thread', threadId: thread.id } });
  });

  it('describes replies and forwarded messages', async () => {
    const channel = open();
    const sent = await channel.send(
      { target: { chatId: ada.dmId }, content: { text: '**Shall** I?' } },
      { key: 'k', mayHaveArrived: false, signal: AbortSignal.timeout(5000) },
    );
    const { id: channelId } = server.addChannel();
    const current = await connect();
    server.send({ from: ada, text: 'yes', replyTo: sent.id });
    server.send({ from: ada, forwarded: 'text of somebody' });
    const question = server.send({ from: server.addUser({ name: 'Bob' }), channelId, text: 'who?' });
    server.send({ from: ada, channelId, text: 'me', replyTo: question });
    await current.waitFor(4);
    expect(current.events).toMatchObject([
      { content: { text: 'yes', replyTo: { messageId: sent.id, text: '**Shall** I?', isOurs: true } } },
      { content: { text: 'text of somebody', forwardedFrom: 'unknown' } },
      { content: { text: 'who?' } },
      { content: { text: 'me', isAddressed: false, replyTo: { text: 'who?', author: 'Bob', isOurs: false } } },
    ]);
  });

  it('ignores its own messages, other bots, webhooks and notices of Discord', async () => {
    const robot = server.addUser({ name: 'Robot', isBot: true });
    const current = await connect();
    await open().send(
      { target: { chatId: ada.dmId }, content: { text: 'mine' } },
      { key: 'k', mayHaveArrived: false, signal: AbortSignal.timeout(5000) },
    );
    server.send({ from: robot, text: 'beep' });
    server.send({ from: ada, text: 'hook', webhookId: '5' });
    server.send({ from: ada, text: 'joined', type: 7 });
    expect(textsOf(await eventsBefore(current))).toEqual([]);
  });

  it('reads other bots if that is configured', async () => {
    const robot = server.addUser({ name: 'Robot', isBot: true });
    const { id: channelId } = server.addChannel();
    const current = await connect({ rules: { bots: 'mentions' } });
    server.send({ from: robot, channelId, text: 'beep' });
    server.send({ from: robot, channelId, text: `<@${server.bot.id}> boop` });
    const events = await eventsBefore(current);
    expect(events).toMatchObject([{ content: { text: 'boop', isFromBot: true, isAddressed: true } }]);
  });

  it('follows the rules about channels, also in their threads', async () => {
    const [free, closed, other] = ['free', 'closed', 'other'].map((name) => server.addChannel({ name }));
    const thread = server.addThread(closed as never, 'hidden');
    const ids = { free: free?.id ?? '', closed: closed?.id ?? '', other: other?.id ?? '' };
    const rules = { freeChannels: [ids.free], ignoredChannels: [ids.closed], allowedChannels: [ids.free, ids.closed] };
    const current = await connect({ rules });
    for (const channelId of [...Object.values(ids), thread.id]) {
      server.send({ from: ada, channelId, text: `<@${server.bot.id}> hello` });
    }
    server.send({ from: ada, channelId: ids.free, text: 'no mention' });
    const events = await eventsBefore(current);
    expect(events.map(({ source, content }) => [source.chatId, content.text, content.isAddressed])).toEqual([
      [ids.free, 'hello', true],
      [ids.free, 'no mention', true],
    ]);
  });

  it('describes edits and deletions, but not previews of links', async () => {
    const current = await connect();
    const id = server.send({ from: ada, text: 'helo' });
    server.pushEvent('MESSAGE_UPDATE', { id, channel_id: ada.dmId, author: { id: ada.id }, content: 'helo', type: 0 });
    server.edit(ada, id, 'hello');
    server.remove(ada, id);
    await current.waitFor(3);
    expect(current.events).toMatchObject([
      { kind: 'message', content: { text: 'helo' } },
      { kind: 'edit', content: { messageId: id, text: 'hello' } },
      { kind: 'deletion', source: { chatId: ada.dmId }, content: { messageId: id } },
    ]);
    expect(new Set(current.events.map((event) => event.id)).size).toBe(3);
  });
});

describe('files', () => {
  it('describes and fetches them, although their addresses expire', async () => {
    const current = await connect();
    const files = [
      { name: 'a.png', mediaType: 'image/png', bytes: Buffer.from('pixels') },
      { name: 'b.pdf', mediaType: 'application/pdf', bytes: Buffer.from('pages') },
    ];
    server.send({ from: ada, text: 'look', files });
    server.send({
      from: ada,
      isVoice: true,
      files: [{ name: 'v.ogg', mediaType: 'audio/ogg; codecs=opus', bytes: Buffer.from('Ogg') }],
    });
    server.send({ from: ada, sticker: 'wave' });
    await current.waitFor(3);
    const [message, voice, sticker] = current.events;
    expect(message?.content.files).toMatchObject([
      { kind: 'image', name: 'a.png', mediaType: 'image/png', bytes: 6 },
      { kind: 'document', name: 'b.pdf' },
    ]);
    expect(voice?.content.files).toMatchObject([{ kind: 'audio', mediaType: 'audio/ogg', isVoice: true }]);
    expect(sticker?.content.text).toBe('[sticker: wave]');
    const channel = open();
    const [image, document] = message?.content.files ?? [];
    const limits = { maxBytes: 100, signal: AbortSignal.timeout(5000) };
    expect(Buffer.from(await channel.fetchFile(image as never, limits)).toString()).toBe('pixels');
    await expect(channel.fetchFile(image as never, { ...limits, maxBytes: 3 })).rejects.toMatchObject({
      fault: 'too_long',
    });
    // A size that lies is noticed.
    const { bytes: _, ...lying } = document as NonNullable<typeof document>;
    await expect(channel.fetchFile(lying, { ...limits, maxBytes: 2 })).rejects.toMatchObject({ fault: 'too_long' });
    await expect(channel.fetchFile({ ...lying, id: `${ada.dmId}/1/2` }, limits)).rejects.toMatchObject({
      fault: 'not_found',
    });
  });
});

describe('sessions', () => {
  verifies('GW-1', 'fetches missed messages if the session cannot be resumed', async () => {
    const channel = server.addChannel();
    const quiet = server.addChannel({ name: 'quiet' });
    const first = await connect();
    server.send({ from: ada, text: 'one' });
    server.send({ from: ada, channelId: channel.id, text: `<@${server.bot.id}> two` });
    await first.waitFor(2);
    await first.stop();
    server.gateway.forgetSessions();
    for (let number = 0; number < 120; number += 1) server.send({ from: ada, text: `missed ${number}` });
    server.send({ from: ada, channelId: channel.id, text: `<@${server.bot.id}> three` });
    server.send({ from: ada, channelId: quiet.id, text: 'never addressed' });
    const current = await connect({ cursor: first.cursor });
    await current.waitFor(121);
    expect(textsOf(current.events)).toEqual([
      ...Array.from({ length: 120 }, (_, number) => `missed ${number}`),
      'three',
    ]);
    expect(current.events.at(-1)?.source).toMatchObject({ chatType: 'group', chatId: channel.id });
    // Live messages follow, and the new session can be resumed.
    server.send({ from: ada, text: 'four' });
    await current.waitFor(122);
    await current.stop();
    server.send({ from: ada, text: 'five' });
    const last = await connect({ cursor: current.cursor });
    await last.waitFor(1);
    expect(textsOf(last.events)).toEqual(['five']);
    expect(server.gateway.state).toMatchObject({ identifies: 2, resumes: 1 });
  });

  it('tries again to fetch missed messages if Discord does not answer', async () => {
    const first = await connect();
    server.send({ from: ada, text: 'one' });
    await first.waitFor(1);
    await first.stop();
    server.gateway.forgetSessions();
    server.send({ from: ada, text: 'two' });
    server.failNext('GET /channels/:id/messages', { type: 'status', status: 503 });
    const broken = startReceiving(open(), { cursor: first.cursor });
    expect(await broken.ended).toMatchObject({ fault: 'transient' });
    expect(broken.cursor).toEqual(first.cursor);
    const current = await connect({ cursor: broken.cursor });
    await current.waitFor(1);
    expect(textsOf(current.events)).toEqual(['two']);
  });

  it('forgets a channel that it may no longer read', async () => {
    const { id: channelId } = server.addChannel();
    const first = await connect();
    server.send({ from: ada, channelId, text: `<@${server.bot.id}> one` });
    await first.waitFor(1);
    await first.stop();
    server.gateway.forgetSessions();
    server.forbid(channelId);
    const current = await connect({ cursor: first.cursor });
    expect(await eventsBefore(current)).toEqual([]);
  });

  it('connects again when Discord asks for it', async () => {
    const current = await connect();
    server.gateway.send({ op: 7, d: null });
    while (server.gateway.state.resumes < 1) await new Promise(setImmediate);
    server.send({ from: ada, text: 'hello' });
    await current.waitFor(1);
    expect(server.gateway.state).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it.each<[number, string]>([
    [4000, 'transient'],
    [1000, 'transient'],
    [4004, 'fatal'],
    [4013, 'fatal'],
    [4014, 'fatal'],
  ])('ends with code %d as %s', async (code, fault) => {
    const current = await connect();
    server.gateway.disconnect(code);
    expect(await current.ended).toMatchObject({ fault });
  });

  it('says which intent is missing', async () => {
    server.gateway.state.isContentAllowed = false;
    const error = await startReceiving(open()).ended;
    expect(error).toMatchObject({ fault: 'fatal', hint: expect.stringContaining('Message Content Intent') as string });
  });

  it('does not start a session when Discord would reset the token', async () => {
    server.setRemainingStarts(0);
    expect(await startReceiving(open()).ended).toMatchObject({ fault: 'rate_limited', retryAfterMs: 3_600_000 });
    expect(server.gateway.state.identifies).toBe(0);
  });

  verifies('GW-14', 'ends a connection whose heartbeats are not answered', async () => {
    const current = await connect({ timeouts: { silenceMs: 300, identifyMs: 10 } });
    server.gateway.fail({ type: 'silence' });
    expect(await current.ended).toMatchObject({
      fault: 'transient',
      message: expect.stringContaining('nothing') as string,
    });
  });

  it('connects to the gateway with the agent of its proxy, and changes no other request', async () => {
    const hosts: unknown[] = [];
    class RecordingAgent extends http.Agent {
      override createConnection(...given: Parameters<http.Agent['createConnection']>) {
        hosts.push(given[0].port);
        return super.createConnection(...given);
      }
    }
    const { request } = http;
    const agent = new RecordingAgent();
    const alive = Promise.withResolvers<void>();
    const headers = { authorization: `Bot ${server.token}` };
    const found = await fetch(`${server.url}/api/v10/gateway/bot`, { headers });
    const { url } = (await found.json()) as { url: string };
    const onAlive = () => alive.resolve();
    const parts = { token: server.token, url, agent, session: undefined, silenceMs: 20_000 };
    const connection = connectGateway({ ...parts, onDispatch: () => undefined, onAlive });
    await alive.promise;
    connection.close();
    expect(hosts.map(String)).toEqual([new URL(server.url).port]);
    expect(http.request).toBe(request);
  });

  it('survives any cursor', async () => {
    const values = fc.dictionary(fc.constantFrom('session', 'channels', 'id', 'url', 'sequence', '1'), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.record({ session: values, channels: values }), async (cursor) => {
        const current = startReceiving(open(), { cursor: cursor as JsonObject });
        await current.waitForProof();
        await current.stop();
      }),
      { numRuns: 20 },
    );
  });
});

describe('malformed events', () => {
  it('neither stop the bot nor hide the next message', async () => {
    const names = [
      'MESSAGE_CREATE',
      'MESSAGE_UPDATE',
      'MESSAGE_DELETE',
      'MESSAGE_DELETE_BULK',
      'INTERACTION_CREATE',
      'GUILD_CREATE',
      'THREAD_CREATE',
    ];
    const fields = fc.constantFrom(
      'id',
      'channel_id',
      'guild_id',
      'author',
      'content',
      'type',
      'data',
      'token',
      'mentions',
      'attachments',
      'user',
      'message',
      'application_id',
      'channels',
      'ids',
      'edited_timestamp',
      'referenced_message',
      'message_snapshots',
      'message_reference',
      'member',
    );
    const data = fc.oneof(
      fc.dictionary(fields, fc.oneof(fc.jsonValue(), fc.constantFrom('1', '5', 1, 19))),
      fc.jsonValue(),
    );
    const current = await connect();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...names), data), { maxLength: 10 }), async (events) => {
        for (const [name, content] of events) server.pushEvent(name, content as JsonValue);
        count += 1;
        await eventsBefore(current, `after ${count}`);
        expect(textsOf(current.events).at(-1)).toBe(`after ${count}`);
      }),
      { numRuns: 100 },
    );
  });

  it.each<JsonObject>([{ op: 10, d: null }, { op: 0, t: 'READY', s: 5, d: {} }, { op: 0, d: {} }, { hello: 1 }])(
    'ends the connection for %j',
    async (payload) => {
      const current = await connect();
      server.gateway.send(payload);
      expect(await current.ended).toMatchObject({ fault: 'transient' });
    },
  );
});
