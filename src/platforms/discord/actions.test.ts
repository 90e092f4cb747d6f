import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Channel, ChannelError, ChannelMessage } from '../../contracts/index.ts';
import { createDiscordServer, type DiscordServer, type DiscordUser } from '../../testing/index.ts';
import { startReceiving } from '../../testing/index.ts';
import { createDiscordChannel, type DiscordOptions } from './discord-channel.ts';
import { settingsOf } from '../../../test/support/platform-settings.ts';
import { toDiscordOptions } from './settings.ts';

let server: DiscordServer;
let ada: DiscordUser;
let channel: Channel;

beforeEach(async () => {
  server = await createDiscordServer({ heartbeatMs: 40 });
  ada = server.addUser({ name: 'Ada' });
  channel = open();
});
afterEach(async () => {
  await channel.close();
  await server.close();
});

function open(options: Partial<DiscordOptions> = {}): Channel {
  const timeouts = { callMs: 2000, silenceMs: 2000, identifyMs: 10 };
  return createDiscordChannel({
    token: server.token,
    baseUrl: `${server.url}/api`,
    variables: {},
    timeouts,
    ...options,
  });
}

const soon = () => AbortSignal.timeout(5000);
let keys = 0;
const send = (message: ChannelMessage, by = channel) =>
  by.send(message, { key: `key ${(keys += 1)}`, mayHaveArrived: false, signal: soon() });
const failed = (call: Promise<unknown>) => call.then(String, (error: unknown) => error as ChannelError);
const target = () => ({ chatId: ada.dmId });

describe('sending', () => {
  it('identifies the bot', async () => {
    expect(await channel.identify(soon())).toEqual({ account: `discord:${server.bot.id}`, name: '@hermes' });
  });

  it('never notifies users', async () => {
    const { id } = server.addChannel();
    for (const content of channel.render(`@everyone @here <@${ada.id}> <@&5> hello`)) {
      const sent = await send({ target: { chatId: id }, content });
      await channel.edit({ chatId: id }, sent.id, { text: `@everyone <@${ada.id}>` }, soon());
    }
    expect(server.messages(id)).toMatchObject([{ pings: [] }]);
  });

  it('answers in threads, and refers to the answered message even if it is gone', async () => {
    const parent = server.addChannel();
    const thread = server.addThread(parent, 'ideas');
    const question = server.send({ from: ada, channelId: thread.id, text: 'what?' });
    const inThread = { chatId: thread.id, threadId: thread.id };
    await send({ target: { ...inThread, replyTo: question }, content: { text: 'this' } });
    await send({ target: { ...inThread, replyTo: '1200000000000000000' }, content: { text: 'that' } });
    const quiet = open({ replies: false, linkPreviews: false });
    await send({ target: { ...inThread, replyTo: question }, content: { text: 'quiet' } }, quiet);
    expect(server.messages(thread.id)).toMatchObject([
      { text: 'this', replyTo: question, flags: 0 },
      { text: 'that', replyTo: undefined },
      { text: 'quiet', replyTo: undefined, flags: 4 },
    ]);
  });

  it('sends files with captions as they are', async () => {
    const file = { name: 'a b.txt', mediaType: 'text/plain', bytes: Buffer.from('text'), caption: 'a_b *c*' };
    await send({ target: target(), file });
    expect(server.messages(ada.dmId)).toMatchObject([
      { text: 'a_b *c*', files: [{ name: 'a b.txt', mediaType: 'text/plain', bytes: Buffer.from('text') }] },
    ]);
    const large = { name: 'big', mediaType: 'text/plain', bytes: new Uint8Array(10 * 1024 * 1024 + 1) };
    expect(await failed(send({ target: target(), file: large }))).toMatchObject({ fault: 'too_long' });
  });

  it('arranges buttons in rows that Discord accepts', async () => {
    const button = (index: number) => ({ label: `choice ${index}`, data: `q:${index}` });
    const rows = (count: number) => Array.from({ length: count }, (_, index) => [button(index)]);
    await send({ target: target(), content: { text: 'few' }, buttons: rows(3) });
    await send({ target: target(), content: { text: 'many' }, buttons: rows(12) });
    const long = [[{ label: '😀'.repeat(100), data: 'a', style: 'danger' as const }]];
    await send({ target: target(), content: { text: 'long' }, buttons: long });
    expect(server.messages(ada.dmId).map(({ buttons }) => buttons.map((row) => row.length))).toEqual([
      [1, 1, 1],
      [5, 5, 2],
      [1],
    ]);
    const tooMany = failed(send({ target: target(), content: { text: 'x' }, buttons: rows(26) }));
    expect(await tooMany).toMatchObject({ fault: 'rejected' });
    const badData = [[{ label: 'a', data: 'x'.repeat(101) }]];
    expect(await failed(send({ target: target(), content: { text: 'x' }, buttons: badData }))).toMatchObject({
      fault: 'rejected',
    });
  });

  it('shows typing, reacts, and replaces and removes its reaction', async () => {
    const id = server.send({ from: ada, text: 'hi' });
    await channel.showTyping?.(target(), soon());
    expect(server.typing).toEqual([ada.dmId]);
    const shown: string[][] = [];
    for (const reaction of ['👀', '👀', '✅', undefined]) {
      await channel.react?.(target(), id, reaction, soon());
      shown.push(server.reactions(ada.dmId, id));
    }
    expect(shown).toEqual([['👀'], ['👀'], ['✅'], []]);
  });

  it('reports a channel that it may not use', async () => {
    server.forbid(ada.dmId);
    expect(await failed(send({ target: target(), content: { text: 'x' } }))).toMatchObject({ fault: 'forbidden' });
  });

  it('does not wait for a rate limit itself', async () => {
    server.limit('POST /channels/:id/messages', { count: 1, perSeconds: 30 });
    await send({ target: target(), content: { text: 'one' } });
    // From the headers of the first response, before Discord refuses the second.
    const error = (await failed(send({ target: target(), content: { text: 'two' } }))) as ChannelError;
    expect(error).toMatchObject({ fault: 'rate_limited' });
    expect(error.retryAfterMs).toBeGreaterThan(20_000);
    const other = server.addUser();
    await send({ target: { chatId: other.dmId }, content: { text: 'three' } });
    expect(server.messages(other.dmId)).toMatchObject([{ text: 'three' }]);
  });

  it.each(['', 'short', `${'x'.repeat(40)}\r\nevil: 1`])('rejects a malformed token: %j', async (token) => {
    const error = await failed(open({ token }).identify(soon()));
    expect(error).toMatchObject({ fault: 'fatal' });
    expect(server.calls).toEqual([]);
  });

  it('works again after a token was refused', async () => {
    server.failNext('GET /users/@me', { type: 'status', status: 401 });
    expect(await failed(channel.identify(soon()))).toMatchObject({ fault: 'fatal' });
    expect(await channel.identify(soon())).toMatchObject({ name: '@hermes' });
  });
});

describe('interactions', () => {
  async function receive() {
    const receiving = startReceiving(channel);
    await receiving.waitForProof();
    return receiving;
  }
  const answersOf = async (count: number) => {
    while (server.answers.length < count) await new Promise(setImmediate);
    return server.answers;
  };

  it('reports a pressed button, acknowledges it when it is stored, and answers only who pressed it', async () => {
    const receiving = await receive();
    const buttons = [[{ label: 'Yes', data: 'q1:once', style: 'primary' as const }]];
    const sent = await send({ target: target(), content: { text: 'Allow?' }, buttons });
    const id = server.press({ from: ada, messageId: sent.id, data: 'q1:once' });
    await receiving.waitFor(1);
    const [event] = receiving.events;
    expect(event).toMatchObject({
      kind: 'action',
      source: { chatType: 'dm', chatId: ada.dmId, userId: ada.id },
      content: { isAddressed: true, action: { id, data: 'q1:once', messageId: sent.id } },
    });
    expect(await answersOf(1)).toEqual([{ id, type: 6, text: '', isEphemeral: false }]);
    const action = event?.content.action as NonNullable<typeof event>['content']['action'] & object;
    await channel.acknowledgeAction?.(action, 'Thank you.', soon());
    expect(server.answers[1]).toEqual({ id, type: 4, text: 'Thank you.', isEphemeral: true });
    // A press that this process did not receive was acknowledged by another one.
    await channel.acknowledgeAction?.({ id: '1', data: '', messageId: '' }, 'Thank you.', soon());
    await channel.edit(target(), sent.id, { text: 'Allowed.' }, soon());
    expect(server.messages(ada.dmId)).toMatchObject([{ text: 'Allowed.', buttons: [] }]);
    await receiving.stop();
  });

  it('identifies who pressed a button in a server by the id of the user', async () => {
    const receiving = await receive();
    const { id: channelId } = server.addChannel();
    const bob = server.addUser({ name: 'Bob' });
    const sent = await send({ target: { chatId: channelId }, content: { text: 'Allow?' } });
    server.press({ from: bob, messageId: sent.id, data: 'a', channelId });
    await receiving.waitFor(1);
    expect(receiving.events[0]).toMatchObject({ source: { chatType: 'group', chatId: channelId, userId: bob.id } });
    await receiving.stop();
  });

  it('does not acknowledge a press that could not be stored', async () => {
    const sent = await send({ target: target(), content: { text: 'Allow?' } });
    const failing = startReceiving(channel, {
      beforeStoring: (events) =>
        events.length > 0 ? Promise.reject(new Error('the disk is full')) : Promise.resolve(),
    });
    await failing.waitForProof();
    server.press({ from: ada, messageId: sent.id, data: 'a' });
    expect(await failing.ended).toEqual(new Error('the disk is full'));
    expect(server.answers).toEqual([]);
  });

  it('offers commands and reads them as text', async () => {
    const commands = [
      { name: 'status', description: 'Show the status' },
      { name: 'Reload-MCP', description: 'x'.repeat(200) },
      { name: 'not allowed', description: 'a' },
      { name: 'empty', description: ' ' },
    ];
    await channel.offerCommands?.(commands, soon());
    expect(server.commands).toMatchObject([{ name: 'status' }, { name: 'reload-mcp', description: 'x'.repeat(100) }]);
    const receiving = await receive();
    const id = server.command({ from: ada, name: 'reload-mcp', text: 'all of it' });
    await receiving.waitFor(1);
    expect(receiving.events[0]).toMatchObject({
      id: `interaction/${id}`,
      kind: 'message',
      content: { text: '/Reload-MCP all of it', isAddressed: true },
    });
    expect(await answersOf(1)).toEqual([{ id, type: 4, text: '`/Reload-MCP`', isEphemeral: true }]);
    await receiving.stop();
  });
});

describe('settings', () => {
  const read = async (variables: Record<string, string>, extra = {}) => {
    const settings = await settingsOf('discord', {
      values: { extra },
      variables: { DISCORD_BOT_TOKEN: ' Bot abc ', ...variables },
    });
    return settings && toDiscordOptions(settings);
  };

  it('require mentions and ignore bots by default', async () => {
    expect(await read({}, { base_url: 'http://h/api/' })).toMatchObject({
      token: 'abc',
      baseUrl: 'http://h/api',
      replies: true,
      rules: { requireMention: true, freeChannels: [], ignoredChannels: [], allowedChannels: [], bots: 'none' },
    });
    expect((await read({ DISCORD_ALLOW_BOTS: 'perhaps' }))?.rules?.bots).toBe('none');
  });

  it('are read from variables', async () => {
    const variables = {
      DISCORD_REQUIRE_MENTION: 'false',
      DISCORD_FREE_RESPONSE_CHANNELS: '1,2',
      DISCORD_IGNORED_CHANNELS: '3',
      DISCORD_ALLOWED_CHANNELS: '4',
      DISCORD_ALLOW_BOTS: 'Mentions',
      DISCORD_REPLY_TO_MODE: 'off',
    };
    expect(await read(variables)).toMatchObject({
      rules: {
        requireMention: false,
        freeChannels: ['1', '2'],
        ignoredChannels: ['3'],
        allowedChannels: ['4'],
        bots: 'mentions',
      },
      replies: false,
    });
  });

  it('connect only with a token that is not switched off', async () => {
    expect(await settingsOf('discord', { variables: { DISCORD_ALLOWED_USERS: '1' } })).toBeUndefined();
    expect(
      await settingsOf('discord', { values: { enabled: false }, variables: { DISCORD_BOT_TOKEN: 'abc' } }),
    ).toBeUndefined();
  });
});
