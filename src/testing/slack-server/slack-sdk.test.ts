import { SocketModeClient } from '@slack/socket-mode';
import { LogLevel, WebClient } from '@slack/web-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { createSlackServer, type SlackServer } from './slack-server.ts';

let server: SlackServer;
let web: WebClient;
let app: SocketModeClient;

beforeEach(async () => {
  server = await createSlackServer();
  const options = { slackApiUrl: `${server.url}/api/`, logLevel: LogLevel.ERROR, retryConfig: { retries: 0 } };
  web = new WebClient(server.workspace.token, { ...options, rejectRateLimitedCalls: true });
  app = new SocketModeClient({
    appToken: server.appToken,
    logLevel: LogLevel.ERROR,
    clientOptions: options,
    clientPingTimeout: 300,
  });
});

afterEach(async () => {
  if (server.connections > 0) await app.disconnect();
  await server.close();
});

type Received = { ack(): Promise<void>; body: JsonObject; event?: JsonObject; retry_num?: number };

/** The next event of a type, which is acknowledged. */
function received(type: string): Promise<Received> {
  return new Promise((resolve) => {
    app.once(type, (event: Received) => void event.ack().then(() => resolve(event)));
  });
}

const post = async (message: JsonObject) =>
  (await web.apiCall('chat.postMessage', message)) as { ok: boolean; ts?: string };
const failure = (call: Promise<unknown>) => call.then(String, (error: unknown) => error);

describe("Slack's own packages as clients of the Slack server", () => {
  it('receives a message over Socket Mode and answers it in a thread', async () => {
    await app.start();
    const ada = server.addUser({ name: 'ada' });
    const channel = server.addChannel({ name: 'team' });
    const mentioned = received('app_mention');
    const ts = server.send({ from: ada, channel, text: `${server.workspace.mention} hello` });
    expect((await mentioned).event).toMatchObject({ user: ada.id, channel: channel.id, ts });
    const { ok } = await post({
      channel: channel.id,
      thread_ts: ts,
      text: 'Hi &amp; welcome',
      metadata: { event_type: 'test', event_payload: { key: 'k' } },
    });
    expect(ok).toBe(true);
    expect(server.messages(channel.id)).toMatchObject([{ text: 'Hi & welcome', threadTs: ts, mentions: [] }]);
    const { messages } = await web.conversations.replies({ channel: channel.id, ts, include_all_metadata: true });
    expect(messages).toMatchObject([{ ts }, { metadata: { event_payload: { key: 'k' } } }]);
  });

  it('delivers presses and slash commands', async () => {
    await app.start();
    const ada = server.addUser();
    const { id } = server.directChat(ada);
    const button = { type: 'button', text: { type: 'plain_text', text: 'Yes' }, action_id: 'a', value: 'yes' } as const;
    const { ts = '' } = await post({
      channel: id,
      text: 'Sure?',
      blocks: [{ type: 'actions', elements: [button] }],
    });
    const pressed = received('interactive');
    server.press({ from: ada, ts, value: 'yes' });
    expect((await pressed).body).toMatchObject({
      type: 'block_actions',
      actions: [{ value: 'yes' }],
      user: { id: ada.id },
    });
    const ran = received('slash_commands');
    server.command({ from: ada, command: '/hermes', text: 'status' });
    expect((await ran).body).toMatchObject({ command: '/hermes', text: 'status' });
  });

  it('delivers an event again that was not acknowledged, and follows a disconnect', async () => {
    await app.start();
    const ada = server.addUser();
    server.setDelivery({ lostAcknowledgements: 1 });
    const first = received('message');
    server.send({ from: ada, text: 'one' });
    const { body } = await first;
    expect(server.pendingEvents).toBe(1);
    const connected = new Promise((resolve) => app.once('connected', resolve));
    const second = received('message');
    server.disconnect('refresh_requested');
    await connected;
    expect((await second).body['event_id']).toBe(body['event_id']);
    await app.disconnect();
    expect(server.pendingEvents).toBe(0);
  });

  it('uploads files and offers those of users', async () => {
    const ada = server.addUser();
    const { id } = server.directChat(ada);
    await web.filesUploadV2({ channel_id: id, file: Buffer.from('text'), filename: 'a.txt', initial_comment: 'look' });
    expect(server.messages(id)).toMatchObject([{ text: 'look', file: { name: 'a.txt' } }]);
  });

  it('edits, deletes, reacts, looks up names and shows a status', async () => {
    const ada = server.addUser({ name: 'Ada' });
    const { id } = server.directChat(ada);
    const channel = id;
    const { ts = '' } = await post({ channel, text: 'one' });
    await web.chat.update({ channel, ts, text: 'two' });
    await web.reactions.add({ channel, timestamp: ts, name: 'eyes' });
    expect(server.reactions(channel, ts)).toEqual(['eyes']);
    await web.assistant.threads.setStatus({ channel_id: channel, thread_ts: ts, status: 'is typing…' });
    expect(server.statuses).toHaveLength(1);
    expect(server.messages(channel)).toMatchObject([{ text: 'two', isEdited: true }]);
    expect((await web.users.info({ user: ada.id })).user?.name).toBe('Ada');
    await web.chat.delete({ channel, ts });
    expect((await web.conversations.history({ channel })).messages).toEqual([]);
  });

  it('streams a text into a thread, which can be changed when it is stopped', async () => {
    const ada = server.addUser();
    const { id: channel } = server.addChannel();
    const thread = server.send({ from: ada, channel: { ...server.addChannel(), id: channel }, text: 'hi' });
    const reader = { recipient_team_id: ada.teamId, recipient_user_id: ada.id };
    const streamer = web.chatStream({ channel, thread_ts: thread, ...reader, buffer_size: 1 });
    await streamer.append({ markdown_text: '**one**' });
    await streamer.append({ markdown_text: ' two' });
    const ts = streamer.ts ?? '';
    expect(server.messages(channel)).toMatchObject([{ ts, text: '**one** two', threadTs: thread, isStreaming: true }]);
    const update = () => failure(web.chat.update({ channel, ts, text: 'three' }));
    expect(await update()).toMatchObject({ data: { error: 'streaming_state_conflict' } });
    expect(await failure(web.chat.delete({ channel, ts }))).toMatchObject({ data: { error: 'cant_delete_message' } });
    await streamer.stop({ markdown_text: '!' });
    expect(server.messages(channel)).toMatchObject([{ text: '**one** two!', isStreaming: false }]);
    const append = (more: object = {}) =>
      failure(web.chat.appendStream({ channel, ts, markdown_text: 'late', ...more }));
    expect(await append()).toMatchObject({ data: { error: 'message_not_in_streaming_state' } });
    expect(await append({ ts: '1.1' })).toMatchObject({ data: { error: 'message_not_found' } });
    expect(await append({ ts: thread })).toMatchObject({ data: { error: 'message_not_owned_by_app' } });
    expect(await update()).toBe('[object Object]');
  });

  it('refuses streams where Slack refuses them', async () => {
    const ada = server.addUser();
    const chat = server.directChat(ada);
    const start = async (to: { id: string }, more: object = {}) => {
      const thread = server.send({ from: ada, channel: { name: '', teamId: ada.teamId, ...to }, text: 'hi' });
      return failure(web.chat.startStream({ channel: to.id, thread_ts: thread, markdown_text: 'a', ...more }));
    };
    const [team, reader] = [server.addChannel(), { recipient_team_id: ada.teamId, recipient_user_id: ada.id }];
    const errors = [
      [await start(server.addChannel({ hasStreams: false }), reader), 'channel_type_not_supported'],
      [await start(team), 'missing_recipient_team_id'],
      [await start(team, { recipient_team_id: ada.teamId }), 'missing_recipient_user_id'],
      [await start(team, { ...reader, recipient_user_id: 'U0' }), 'user_not_found'],
      [await start(chat, { thread_ts: '1.1' }), 'thread_not_found'],
      [await start(chat, { markdown_text: 'x'.repeat(12_001) }), 'msg_too_long'],
    ] as const;
    for (const [thrown, error] of errors) expect(thrown, error).toMatchObject({ data: { error } });
    expect(await start(chat)).toBe('[object Object]');
  });

  it('reports errors in the format of Slack', async () => {
    const ada = server.addUser();
    const { id: channel } = server.directChat(ada);
    const posted = (more: object) => failure(post({ channel, text: 'a', ...more }));
    const errors = [
      [{ channel: 'C0' }, 'channel_not_found'],
      [{ text: '' }, 'no_text'],
      [{ text: 'x'.repeat(4001) }, 'msg_too_long'],
      [{ thread_ts: '1.1' }, 'thread_not_found'],
      [{ colour: 'red' }, 'invalid_arguments'],
      [{ blocks: [{ type: 'rich_text', elements: [] }] }, 'invalid_blocks'],
      [{ blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } }] }, 'invalid_blocks'],
      [{ metadata: { event_type: 'a' } }, 'invalid_metadata_format'],
    ] as const;
    for (const [more, error] of errors) expect(await posted(more), error).toMatchObject({ data: { error } });
    server.failNext('auth.test', { type: 'rate_limit', retryAfter: 4 });
    expect(await failure(web.auth.test())).toMatchObject({ retryAfter: 4 });
    expect(await failure(web.apiCall('apps.connections.open'))).toMatchObject({
      data: { error: 'not_allowed_token_type' },
    });
    server.revokeToken(server.workspace.token);
    expect(await failure(web.auth.test())).toMatchObject({ data: { error: 'invalid_auth' } });
  });
});
