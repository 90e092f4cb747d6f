import { Client, GatewayDispatchEvents, GatewayIntentBits, InteractionType } from '@discordjs/core';
import { DiscordAPIError, RateLimitError, REST } from '@discordjs/rest';
import { WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiscordServer, type DiscordServer } from './index.ts';

const INTENTS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;

let server: DiscordServer;
let rest: REST;
let gateway: WebSocketManager;
let client: Client;

beforeEach(async () => {
  server = await createDiscordServer({ heartbeatMs: 50 });
  rest = new REST({ api: `${server.url}/api`, retries: 0, rejectOnRateLimit: () => true }).setToken(server.token);
  gateway = new WebSocketManager({
    token: server.token,
    intents: INTENTS,
    rest,
    // Discord allows one new session in five seconds; the server does not.
    buildIdentifyThrottler: () => Promise.resolve({ waitForIdentify: () => Promise.resolve() }),
  });
  client = new Client({ rest, gateway });
});

afterEach(async () => {
  await gateway.destroy();
  rest.clearHandlerSweeper();
  rest.clearHashSweeper();
  await server.close();
});

const failure = (call: Promise<unknown>) => call.then(String, (error: unknown) => error);
const once = <Data>(event: GatewayDispatchEvents) =>
  new Promise<Data>((resolve) =>
    client.once(event as GatewayDispatchEvents.Ready, ({ data }) => resolve(data as Data)),
  );

describe('the packages of discord.js as clients of the Discord server', () => {
  it('receive a message over the gateway and answer it with a button', async () => {
    const ada = server.addUser({ name: 'Ada' });
    client.on(GatewayDispatchEvents.MessageCreate, ({ api, data }) => {
      if (data.author.bot) return;
      void api.channels.createMessage(data.channel_id, {
        content: `**${data.author.global_name}** said ${data.content}`,
        message_reference: { message_id: data.id },
        components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Yes', custom_id: 'yes' }] }],
      });
    });
    client.on(GatewayDispatchEvents.InteractionCreate, ({ api: { interactions }, data }) => {
      if (data.type !== InteractionType.MessageComponent) return;
      const { id, token, application_id: application } = data;
      const content = data.data.custom_id;
      void interactions
        .deferMessageUpdate(id, token)
        .then(() => interactions.followUp(application, token, { content, flags: 64 }));
    });
    await gateway.connect();
    const sent = server.send({ from: ada, text: 'hello 😀' });
    const [answer] = await server.waitForMessages(1);
    expect(answer).toMatchObject({ text: 'Ada said hello 😀', replyTo: sent, buttons: [[{ label: 'Yes' }]] });
    const id = server.press({ from: ada, messageId: answer?.id ?? '', data: 'yes' });
    for (let count = 1; server.answers.length < 2; count += 1) await server.waitForCalls(count);
    expect(server.answers).toEqual([
      { id, type: 6, text: '', isEphemeral: false },
      { id, type: 4, text: 'yes', isEphemeral: true },
    ]);
  });

  it('get guilds and threads, and resume a session without losing an event', async () => {
    const channel = server.addChannel({ guild: 'Team', name: 'general' });
    const thread = server.addThread(channel, 'ideas');
    const ada = server.addUser();
    const guild = once<{ name: string; threads: { id: string }[] }>(GatewayDispatchEvents.GuildCreate);
    await gateway.connect();
    expect(await guild).toMatchObject({ name: 'Team', threads: [{ id: thread.id }] });
    const resumed = new Promise((resolve) => gateway.once(WebSocketShardEvents.Resumed, resolve));
    const message = once<{ content: string }>(GatewayDispatchEvents.MessageCreate);
    server.gateway.disconnect(4000);
    server.send({ from: ada, channelId: thread.id, text: 'missed' });
    expect(await message).toMatchObject({ content: 'missed' });
    await resumed;
    expect(server.gateway.state).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('identify again after an invalid session', async () => {
    await gateway.connect();
    const ready = once(GatewayDispatchEvents.Ready);
    server.gateway.forgetSessions();
    server.gateway.disconnect(4000);
    await ready;
    expect(server.gateway.state.identifies).toBe(2);
  });

  it('send, list, edit, delete and react', async () => {
    const { id } = server.addChannel();
    const { channels } = client.api;
    const file = { name: 'a.txt', data: Buffer.from('text'), contentType: 'text/plain' };
    const first = await channels.createMessage(id, { content: 'one', files: [file], nonce: 'n', enforce_nonce: true });
    const again = await channels.createMessage(id, { content: 'one', nonce: 'n', enforce_nonce: true });
    expect(again.id).toBe(first.id);
    const response = await fetch(first.attachments[0]?.url ?? '');
    expect(await response.text()).toBe('text');
    await channels.editMessage(id, first.id, { content: '_two_' });
    await channels.addMessageReaction(id, first.id, '👀');
    await channels.showTyping(id);
    expect(server.messages(id)).toMatchObject([{ text: 'two', isEdited: true, files: [{ name: 'a.txt' }] }]);
    expect(server.reactions(id, first.id)).toEqual(['👀']);
    const second = await channels.createMessage(id, { content: 'later' });
    expect((await channels.getMessages(id, { after: first.id })).map((message) => message.id)).toEqual([second.id]);
    await channels.deleteOwnMessageReaction(id, first.id, '👀');
    await channels.deleteMessage(id, first.id);
    expect(server.messages(id)).toMatchObject([{ text: 'later' }]);
    await client.api.applicationCommands.bulkOverwriteGlobalCommands(server.bot.id, [
      { name: 'help', description: 'Show help' },
    ]);
    expect(server.commands).toEqual([{ name: 'help', description: 'Show help' }]);
  });

  it('report errors and rate limits in the format of Discord', async () => {
    const { id } = server.addChannel();
    const { channels } = client.api;
    expect(await failure(channels.createMessage('1200000000000000000', { content: 'a' }))).toMatchObject({
      code: 10_003,
    });
    expect(await failure(channels.createMessage(id, { content: ' ' }))).toMatchObject({ code: 50_006 });
    expect(await failure(channels.createMessage(id, { content: 'x'.repeat(2001) }))).toMatchObject({ code: 50_035 });
    server.limit('POST /channels/:id/messages', { count: 1, perSeconds: 30 });
    await channels.createMessage(id, { content: 'a' });
    expect(await failure(channels.createMessage(id, { content: 'b' }))).toBeInstanceOf(RateLimitError);
    server.failNext('GET /users/@me', { type: 'rate_limit', retryAfter: 2 });
    expect(await failure(client.api.users.getCurrent())).toMatchObject({ retryAfter: 2050 });
    server.forbid(id);
    expect(await failure(channels.get(id))).toMatchObject({ status: 403 });
    server.revokeToken();
    const error = await failure(client.api.users.getCurrent());
    expect(error).toBeInstanceOf(DiscordAPIError);
    expect(error).toMatchObject({ status: 401 });
  });
});
