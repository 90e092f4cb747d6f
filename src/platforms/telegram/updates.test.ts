import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Channel, ChannelEvent } from '../../contracts/index.ts';
import { createTelegramServer, type TelegramServer, type TelegramUser, type UserMessage } from '../../testing/index.ts';
import { startReceiving } from '../../testing/index.ts';
import { readUpdate, sortUpdates } from './read-update.ts';
import { createTelegramChannel } from './telegram-channel.ts';

let server: TelegramServer;
let channel: Channel;
let ada: TelegramUser;

beforeEach(async () => {
  server = await createTelegramServer();
  channel = createTelegramChannel({
    token: server.token,
    baseUrl: `${server.url}/bot`,
    fileBaseUrl: `${server.url}/file/bot`,
    variables: {},
    timeouts: { pollMs: 100, albumMs: 500 },
  });
  ada = server.addUser({ firstName: 'Ada', username: 'ada' });
});

afterEach(async () => {
  await channel.close();
  await server.close();
});

const never = () => AbortSignal.timeout(20_000);
const GROUP_BOT = '@hermes_test_bot';

/** The events of everything that was sent so far. */
async function received(count: number): Promise<ChannelEvent[]> {
  const receiving = startReceiving(channel);
  await receiving.waitFor(count);
  await receiving.stop();
  return receiving.events;
}

async function receivedOne(message: Partial<UserMessage>): Promise<ChannelEvent> {
  server.send({ from: ada, ...message });
  const [event] = await received(1);
  return event as ChannelEvent;
}

describe('messages', () => {
  it('has the source of a direct message', async () => {
    const event = await receivedOne({ text: 'hello' });
    expect(event).toMatchObject({
      id: `message/${ada.id}/1`,
      kind: 'message',
      source: { platform: 'telegram', chatType: 'dm', chatId: String(ada.id), userId: String(ada.id), userName: 'Ada' },
      content: { messageId: '1', text: 'hello', isAddressed: true },
    });
    expect(Math.abs(event.sentAt - Date.now())).toBeLessThan(60_000);
  });

  it.each<[Partial<UserMessage>, object]>([
    [{ sticker: '😀' }, { text: '😀' }],
    [{ location: { latitude: 52.5, longitude: 13.4 } }, { text: '[location: 52.5, 13.4]' }],
    [
      { photo: { bytes: Buffer.alloc(500) }, caption: 'look' },
      { text: 'look', files: [{ kind: 'image', bytes: 500 }] },
    ],
    [{ voice: { bytes: Buffer.alloc(5) } }, { files: [{ kind: 'audio', isVoice: true, mediaType: 'audio/ogg' }] }],
    [{ audio: { bytes: Buffer.alloc(5), mediaType: 'audio/mpeg' } }, { files: [{ kind: 'audio' }] }],
    [{ video: { bytes: Buffer.alloc(5) } }, { files: [{ kind: 'video' }] }],
    [
      { document: { bytes: Buffer.alloc(5), name: 'a.pdf', mediaType: 'application/pdf' } },
      { files: [{ kind: 'document', name: 'a.pdf', mediaType: 'application/pdf' }] },
    ],
    [
      { text: 'look', forwardedFrom: 'Eve' },
      { text: 'look', forwardedFrom: 'Eve' },
    ],
    [
      { text: 'see this', entities: [{ type: 'text_link', offset: 4, length: 4, url: 'https://a.b/c' }] },
      { text: 'see this (https://a.b/c)' },
    ],
  ])('reads %j', async (message, content) => {
    expect((await receivedOne(message)).content).toMatchObject(content);
  });

  it('downloads files within the limit', async () => {
    const bytes = Buffer.from('some text');
    const { content } = await receivedOne({ document: { bytes, name: 'ü a.txt' } });
    const [file] = content.files;
    if (file === undefined) throw new Error('no file');
    expect(Buffer.from(await channel.fetchFile(file, { maxBytes: 100, signal: never() }))).toEqual(bytes);
    const small = channel.fetchFile(file, { maxBytes: 3, signal: never() });
    await expect(small).rejects.toMatchObject({ fault: 'too_long' });
    // A file whose size is not known in advance.
    const lying = channel.fetchFile({ id: file.id, kind: 'document' }, { maxBytes: 3, signal: never() });
    await expect(lying).rejects.toMatchObject({ fault: 'too_long' });
    const missing = channel.fetchFile({ id: 'x', kind: 'image' }, { maxBytes: 3, signal: never() });
    await expect(missing).rejects.toMatchObject({ fault: 'not_found' });
  });

  it('rejects a file above 20 MB before it is downloaded', async () => {
    const { content } = await receivedOne({ document: { bytes: Buffer.alloc(20 * 1024 * 1024 + 1) } });
    const [file] = content.files;
    const fetched = channel.fetchFile(
      { ...file, id: file?.id ?? '', kind: 'document' },
      { maxBytes: 1e9, signal: never() },
    );
    await expect(fetched).rejects.toMatchObject({ fault: 'too_long' });
  });

  it('reads edits and quotes', async () => {
    const messageId = server.send({ from: ada, text: 'one' });
    server.edit({ from: ada, messageId, text: 'two' });
    server.edit({ from: ada, messageId, text: 'three' });
    server.send({ from: ada, text: 'answer', replyTo: messageId, quote: 'thr' });
    const events = await received(4);
    expect(events.map(({ kind, content }) => [kind, content.text, content.messageId])).toEqual([
      ['message', 'one', '1'],
      ['edit', 'two', '1'],
      ['edit', 'three', '1'],
      ['message', 'answer', '2'],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    expect(events[3]?.content.replyTo).toEqual({ messageId: '1', text: 'thr', author: 'Ada', isOurs: false });
  });
});

describe('groups', () => {
  it.each([
    ['hello', false, 'hello'],
    [`${GROUP_BOT} hello`, true, 'hello'],
    [`hello ${GROUP_BOT.toUpperCase()}`, true, `hello ${GROUP_BOT.toUpperCase()}`],
    [`${GROUP_BOT}_2 hello`, false, `${GROUP_BOT}_2 hello`],
    [`mail@hermes_test_bot`, false, 'mail@hermes_test_bot'],
    ['/status', true, '/status'],
    [`/status${GROUP_BOT} now`, true, '/status now'],
    ['/status@another_bot', false, '/status@another_bot'],
    [`${GROUP_BOT} /stop`, true, '/stop'],
  ])('decides whether %j is for the bot: %j', async (text, isAddressed, cleaned) => {
    const group = server.addGroup({ title: 'Team' });
    const { content, source } = await receivedOne({ chatId: group.id, text });
    expect(content).toMatchObject({ isAddressed, text: cleaned });
    expect(source).toMatchObject({ chatType: 'group', chatName: 'Team', userId: String(ada.id) });
  });

  it('counts a reply to the bot as addressed', async () => {
    const group = server.addGroup();
    const target = { chatId: String(group.id) };
    const { id } = await channel.send(
      { target, content: { text: 'question' } },
      { key: 'a', mayHaveArrived: false, signal: never() },
    );
    const { content } = await receivedOne({ chatId: group.id, text: 'yes', replyTo: Number(id) });
    expect(content).toMatchObject({ isAddressed: true, replyTo: { messageId: id, text: 'question', isOurs: true } });
  });

  it('has the topic of a message, and sends to it', async () => {
    const group = server.addGroup({ hasTopics: true });
    const threadId = server.addTopic(group, 'Ideas');
    const { source } = await receivedOne({ chatId: group.id, threadId, text: 'hi' });
    expect(source).toMatchObject({ threadId: String(threadId) });
    const send = (thread: string) =>
      channel.send(
        { target: { chatId: String(group.id), threadId: thread }, content: { text: 'hello' } },
        { key: 'a', mayHaveArrived: false, signal: never() },
      );
    await send(String(threadId));
    // The general topic has the id 1, but Telegram rejects it.
    await send('1');
    expect(server.messages(group.id)).toMatchObject([{ threadId }, { threadId: undefined }]);
    await expect(send('99')).rejects.toMatchObject({ fault: 'not_found' });
  });

  verifies('GW-22', 'does not use the shared id of anonymous admins as an identity', async () => {
    const group = server.addGroup({ title: 'Team' });
    const { source, content } = await receivedOne({ chatId: group.id, text: 'hi', isAnonymous: true });
    expect(source).toMatchObject({ userId: String(group.id), userName: 'Team' });
    expect(content.isFromBot).toBeUndefined();
  });

  it('follows a group that becomes a supergroup', async () => {
    const group = server.addGroup({ title: 'Team' });
    const movedTo = server.upgrade(group);
    const [event] = await received(1);
    expect(event).toMatchObject({
      source: { chatId: String(movedTo), formerChatId: String(group.id) },
      content: { text: '', isAddressed: false },
    });
    const target = { chatId: String(group.id), replyTo: '1' };
    await channel.send({ target, content: { text: 'hi' } }, { key: 'a', mayHaveArrived: false, signal: never() });
    expect(server.messages(movedTo)).toMatchObject([{ text: 'hi' }]);
  });
});

describe('albums', () => {
  it('are delivered together, and a mention in the caption counts for all photos', async () => {
    const group = server.addGroup({ title: 'Team' });
    const photo = { bytes: new Uint8Array([1, 2, 3]), name: 'a.jpg' };
    const part = { from: ada, chatId: group.id, photo, albumId: 'album-1' };
    const delivered: number[] = [];
    const receiving = startReceiving(channel, {
      async beforeStoring(events) {
        delivered.push(events.length);
      },
    });
    await receiving.waitForProof();
    server.send({ ...part, caption: `@${server.bot.username} which one?` });
    server.send(part);
    server.send({ from: ada, chatId: group.id, photo, albumId: 'album-2' });
    // The last photo arrives later than the others.
    setTimeout(() => server.send(part), 20);
    await receiving.waitFor(4);
    await receiving.stop();
    expect(delivered).toEqual([4]);
    expect(receiving.events.map(({ content }) => [content.albumId, content.isAddressed, content.files.length])).toEqual(
      [
        ['album-1', true, 1],
        ['album-1', true, 1],
        ['album-2', false, 1],
        ['album-1', true, 1],
      ],
    );
  });
});

describe('updates of any form', () => {
  const reader = { bot: { id: '1', username: 'bot' }, now: () => 0, findCommand: () => undefined };
  const names = fc.constantFrom(
    'update_id',
    'message',
    'edited_message',
    'callback_query',
    'message_id',
    'chat',
    'from',
    'id',
    'type',
    'text',
    'entities',
    'photo',
    'data',
    'reply_to_message',
    'offset',
    'length',
    'forward_origin',
    'location',
    'migrate_from_chat_id',
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('private', 'group', 'mention', 'text_link', 1, 5),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 5 }),
    ),
  }));

  verifies('GW-1', 'never fail to be read', () => {
    fc.assert(
      fc.property(fc.dictionary(names, value, { maxKeys: 6 }), (update) => {
        const event = readUpdate(update as JsonObject, reader);
        if (event !== undefined) expect(event.source.chatId).toMatch(/^-?\d+$/);
        expect(sortUpdates([update as JsonObject]).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1000 },
    );
  });
});
