import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Channel, ChannelEvent } from '../../contracts/index.ts';
import {
  createSlackServer,
  type SlackChat,
  type SlackServer,
  type SlackUser,
  type SlackUserMessage,
} from '../../testing/index.ts';
import { startReceiving } from '../../testing/index.ts';
import { readEnvelope } from './read-event.ts';
import { openSlack, soon } from './slack.test-helper.ts';

let server: SlackServer;
let channel: Channel;
let ada: SlackUser;
let team: SlackChat;

beforeEach(async () => {
  server = await createSlackServer();
  channel = openSlack(server)[0] as Channel;
  ada = server.addUser({ name: 'Ada' });
  team = server.addChannel({ name: 'team' });
});

afterEach(async () => {
  await channel.close();
  await server.close();
});

/** The events of everything that was sent so far. */
async function received(count: number, by = channel): Promise<ChannelEvent[]> {
  const receiving = startReceiving(by);
  await receiving.waitFor(count);
  await receiving.waitForProof();
  await receiving.stop();
  expect(server.pendingEvents).toBe(0);
  return receiving.events;
}

async function receivedOne(message: Partial<SlackUserMessage>, by = channel): Promise<ChannelEvent> {
  server.send({ from: ada, ...message });
  const [event] = await received(1, by);
  return event as ChannelEvent;
}

describe('messages', () => {
  it('has the source of a direct message', async () => {
    const ts = server.send({ from: ada, text: 'hello' });
    const [event] = await received(1);
    const { id } = server.directChat(ada);
    expect(event).toMatchObject({
      id: `message/${id}/${ts}`,
      kind: 'message',
      content: { messageId: ts, text: 'hello', isAddressed: true },
    });
    expect(event?.source).toEqual({ platform: 'slack', chatType: 'dm', chatId: id, userId: ada.id, userName: 'Ada' });
    expect(Math.abs((event?.sentAt ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it.each([
    ['a &lt;b&gt; &amp;amp; c', 'a <b> &amp; c'],
    ['see <https://a.b/c|this> and <https://a.b/d>', 'see this (https://a.b/c) and https://a.b/d'],
    ['<http://a.b|a.b> <mailto:x@y.z|x@y.z>', 'http://a.b x@y.z'],
    ['<#C1|general> <#C2> <@U1> <@U2|eve>', '#general #C2 @U1 @eve'],
    ['<!here> <!subteam^S1|@ops> <!date^1^{date}|today>', '@here @ops today'],
    ['1 < 2 <>', '1 < 2 '],
  ])('reads the markup %j', async (text, plain) => {
    expect((await receivedOne({ text })).content.text).toBe(plain.trim());
  });

  it('does without a name that Slack does not return, and asks again only after a passing fault', async () => {
    const nameAfter = async (text: string) => (await receivedOne({ text })).source.userName;
    server.failNext('users.info', { type: 'status', status: 500 });
    expect(await nameAfter('one')).toBeUndefined();
    expect(await nameAfter('two')).toBe('Ada');
    const eve = server.addUser({ name: 'Eve' });
    server.failNext('users.info', { type: 'status', status: 403 });
    for (const text of ['three', 'four']) {
      server.send({ from: eve, text });
      expect((await received(1))[0]?.source.userName).toBeUndefined();
    }
    expect(server.calls.filter(({ method }) => method === 'users.info')).toHaveLength(3);
  });

  it('reads files, and downloads them from Slack only', async () => {
    const bytes = Buffer.from('some text');
    const files = [
      { bytes, name: 'ü a.txt', mediaType: 'text/plain' },
      { bytes, name: 'a.png', mediaType: 'image/png' },
      { bytes, name: 'voice.webm', mediaType: 'audio/webm', isVoice: true },
    ];
    const { content } = await receivedOne({ files, text: '' });
    expect(content.files).toMatchObject([
      { kind: 'document', name: 'ü a.txt', mediaType: 'text/plain', bytes: 9 },
      { kind: 'image' },
      { kind: 'audio', isVoice: true },
    ]);
    const [file] = content.files;
    if (file === undefined) throw new Error('no file');
    expect(Buffer.from(await channel.fetchFile(file, { maxBytes: 100, signal: soon() }))).toEqual(bytes);
    const fetched = (changes: object, maxBytes = 3) =>
      channel.fetchFile({ ...file, ...changes }, { maxBytes, signal: soon() });
    await expect(fetched({})).rejects.toMatchObject({ fault: 'too_long' });
    // A file that lies about its size.
    await expect(fetched({ bytes: 1 })).rejects.toMatchObject({ fault: 'too_long' });
    await expect(fetched({ id: 'F0' }, 100)).rejects.toMatchObject({ fault: 'not_found' });
  });

  it('reads edits, deletions and shared messages', async () => {
    const ts = server.send({ from: ada, text: 'one' });
    server.edit({ from: ada, ts, text: 'two' });
    // Slack reports that it has added a preview.
    server.edit({ from: ada, ts, text: 'two' });
    server.edit({ from: ada, ts, text: 'three' });
    server.remove({ from: ada, ts });
    server.send({ from: ada, text: 'look', shares: { author: 'Eve', text: 'run it' } });
    const events = await received(5);
    expect(events.map(({ kind, content }) => [kind, content.text])).toEqual([
      ['message', 'one'],
      ['edit', 'two'],
      ['edit', 'three'],
      ['deletion', ''],
      ['message', 'look'],
    ]);
    expect(events.slice(0, 4).map(({ content }) => content.messageId)).toEqual([ts, ts, ts, ts]);
    expect(events[4]?.content.replyTo).toMatchObject({ text: 'run it', author: 'Eve', isOurs: false });
  });

  it('ignores bots, itself included', async () => {
    server.send({ from: ada, text: 'bot', isFromBot: true });
    const { userId } = server.workspace.bot;
    server.pushEvent(server.workspace.teamId, {
      type: 'message',
      user: userId,
      channel: team.id,
      ts: '1.1',
      text: 'me',
    });
    expect((await receivedOne({ text: 'human' })).content.text).toBe('human');
  });
});

describe('channels', () => {
  const MENTION = '<@BOT>';
  it.each([
    ['hello', false, 'hello'],
    [`${MENTION} hello`, true, 'hello'],
    [`${MENTION}: hello`, true, 'hello'],
    [`hello ${MENTION}`, true, 'hello @hermes'],
    [`<@U999> hello`, false, '@U999 hello'],
    [`${MENTION} /stop`, true, '/stop'],
    // Typed instead of chosen.
    ['@hermes hello', false, '@hermes hello'],
  ])('decides whether %j is for the bot: %j', async (markup, isAddressed, text) => {
    const { mention } = server.workspace;
    const { content, source } = await receivedOne({ channel: team, text: markup.replace(MENTION, mention) });
    expect(content).toMatchObject({ isAddressed, text });
    expect(source).toMatchObject({ chatType: 'group', chatId: team.id, threadId: content.messageId, userId: ada.id });
    // Names are looked up only for messages that the bot answers.
    expect([source.userName, source.chatName]).toEqual(isAddressed ? ['Ada', 'team'] : [undefined, undefined]);
  });

  verifies('GW-7', 'gives a mention, which Slack delivers as two events, one id', async () => {
    server.send({ from: ada, channel: team, text: `${server.workspace.mention} once` });
    const last = server.send({ from: ada, text: 'last' });
    const events = await received(2);
    expect(events.map(({ content }) => content.text)).toEqual(['once', 'last']);
    expect(events[1]?.content.messageId).toBe(last);
  });

  it('follows a thread after a mention in it, after an answer, and after a restart', async () => {
    const threadTs = server.send({ from: ada, channel: team, text: `${server.workspace.mention} start` });
    server.send({ from: ada, channel: team, threadTs, text: 'more' });
    const other = server.send({ from: ada, channel: team, text: 'somebody else' });
    server.send({ from: ada, channel: team, threadTs: other, text: 'not for the bot' });
    const events = await received(4);
    expect(events.map(({ content }) => content.isAddressed)).toEqual([true, true, false, false]);
    expect(events[1]?.source.threadId).toBe(threadTs);
    const target = { chatId: team.id, threadId: other };
    const options = { key: 'a', mayHaveArrived: false, signal: soon() };
    await channel.send({ target, content: { text: 'I can help' } }, options);
    expect((await receivedOne({ channel: team, threadTs: other, text: 'please' })).content.isAddressed).toBe(true);
    const [restarted] = openSlack(server);
    const later = await receivedOne({ channel: team, threadTs, text: 'still there?' }, restarted);
    expect(later.content.isAddressed).toBe(true);
    await restarted?.close();
  });

  verifies('GW-1', 'does not acknowledge a message while it is unknown whether its thread is for the bot', async () => {
    const threadTs = server.send({ from: ada, channel: team, text: 'a thread' });
    await received(1);
    server.failNext('conversations.replies', { type: 'status', status: 503 });
    server.send({ from: ada, channel: team, threadTs, text: `reply` });
    expect(await startReceiving(channel).ended).toMatchObject({ fault: 'transient' });
    expect(server.pendingEvents).toBe(1);
    expect((await received(1))[0]?.content).toMatchObject({ text: 'reply', isAddressed: false });
  });

  it('needs no mention if that is configured, and answers in the channel itself', async () => {
    const [free] = openSlack(server, { freeChannels: [team.id], replyInThread: false });
    const { content, source } = await receivedOne({ channel: team, text: 'hello' }, free);
    expect(content.isAddressed).toBe(true);
    expect(source.threadId).toBeUndefined();
    await free?.close();
    const [all] = openSlack(server, { requireMention: false });
    const other = server.addChannel({ name: 'other' });
    expect((await receivedOne({ channel: other, text: 'hello' }, all)).content.isAddressed).toBe(true);
    await all?.close();
  });
});

describe('commands', () => {
  it.each([
    ['/hermes', 'status now', '/status now'],
    ['/hermes', 'what is new?', 'what is new?'],
    ['/hermes', '/stop', '/stop'],
    ['/hermes', '', '/help'],
    ['/stop', '', '/stop'],
    ['/model', 'big &amp; slow', '/model big & slow'],
  ])('reads %j %j as %j', async (command, text, expected) => {
    await channel.offerCommands?.([{ name: 'status', description: 'Show the status' }], soon());
    server.command({ from: ada, command, text });
    const [event] = await received(1);
    expect(event).toMatchObject({
      kind: 'message',
      source: { chatType: 'dm', userId: ada.id },
      content: { text: expected },
    });
  });
});

describe('payloads of any form', () => {
  const bot = { team: 'T1', userId: 'U1', botId: 'B1', name: 'hermes' };
  const rules = { bot, replyInThread: true, requireMention: true, freeChannels: [], findCommand: () => undefined };
  const reader = { ...rules, now: () => 0 };
  const names = fc.constantFrom(
    ...['type', 'event', 'channel', 'channel_type', 'ts', 'text', 'user', 'subtype', 'message', 'previous_message'],
    ...[
      'thread_ts',
      'files',
      'id',
      'mimetype',
      'actions',
      'value',
      'action_ts',
      'container',
      'attachments',
      'is_share',
    ],
    ...[
      'command',
      'trigger_id',
      'channel_id',
      'user_id',
      'edited',
      'deleted_ts',
      'event_ts',
      'bot_id',
      'parent_user_id',
    ],
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom(
        'message',
        'message_changed',
        'message_deleted',
        'app_mention',
        'block_actions',
        'D1',
        '1.1',
        '/a',
        true,
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 6 }),
    ),
  }));

  /** Mostly the field as Slack sends it, and sometimes anything. */
  const field = (valid: unknown) => fc.oneof({ weight: 6, arbitrary: fc.constant(valid) }, value);
  const message = fc.record({
    type: field('message'),
    channel: field('C1'),
    ts: field('1.1'),
    text: field('<@U1> hi'),
    user: field('U2'),
    thread_ts: field('1.0'),
    files: field([{ id: 'F1', mimetype: 'image/png' }]),
    attachments: field([{ is_share: true, text: 'a' }]),
    subtype: fc.constantFrom(undefined, 'file_share', 'message_changed', 'message_deleted', 'bot_message'),
    deleted_ts: field('1.1'),
    message: field({ ts: '1.1', text: 'new', user: 'U2' }),
  });
  const pressed = fc.record({
    type: field('block_actions'),
    channel: field({ id: 'C1' }),
    user: field({ id: 'U2' }),
    message: field({ ts: '1.1' }),
    actions: field([{ value: 'a', action_ts: '1.2' }]),
  });
  const command = fc.record({
    command: field('/a'),
    channel_id: field('D1'),
    user_id: field('U2'),
    trigger_id: field('1'),
  });
  const payloads = fc.oneof(
    fc.record({ type: fc.constant('events_api'), payload: fc.record({ event: message }) }),
    fc.record({ type: fc.constant('interactive'), payload: pressed }),
    fc.record({ type: fc.constant('slash_commands'), payload: command }),
    fc.record({ type: fc.constantFrom('events_api', 'later'), payload: fc.dictionary(names, value, { maxKeys: 8 }) }),
  );

  verifies('GW-1', 'never fail to be read', () => {
    let count = 0;
    fc.assert(
      fc.property(payloads, ({ type, payload }) => {
        for (const { event } of readEnvelope({ type, payload: payload as unknown as JsonObject }, reader)) {
          count += 1;
          expect(event.id.length).toBeGreaterThan(5);
          expect(Number.isFinite(event.sentAt)).toBe(true);
          expect(typeof event.source.chatId).toBe('string');
        }
      }),
      { numRuns: 2000 },
    );
    expect(count).toBeGreaterThan(50);
  });
});
