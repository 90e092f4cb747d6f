import { expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { connectClient, type TestClient } from '../../../test/support/mcp-clients.ts';
import { openMcpServer } from '../../../test/support/mcp-serve-fixture.ts';
import type { InteractionRequest, JsonObject } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';

const KEY = 'agent:main:telegram:dm:42';
const IMAGE = Buffer.from('iVBORw0KGgo', 'base64');
const SECRET = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUV';

/** A chat on Telegram with one session, and one on Discord that has none yet. */
async function addChats(store: SessionStore): Promise<void> {
  const gateway = await store.openGatewayStore();
  const source = { platform: 'telegram', chatType: 'dm', chatId: '42', chatName: '', userName: 'Ada' };
  const body = { externalId: '1', kind: 'message', author: '42', body: {}, sentAt: 1, receivedAt: 1000 } as const;
  await gateway.receive([
    { ...body, chat: { key: KEY, account: 'telegram:1', source } },
    {
      ...body,
      receivedAt: 2000,
      chat: {
        key: 'agent:main:discord:group:7',
        account: 'discord:1',
        source: { platform: 'discord', chatType: 'group', chatId: '7', chatName: 'General', threadId: '9' },
      },
    },
  ]);
  await store.createSession({ id: 's1', source: 'telegram', startedAt: 1_767_323_045_678, model: 'm' });
  const [claim] = (await gateway.claimChats({ owner: 'test', limit: 9, ttlMs: 60_000 })).filter(
    ({ key }) => key === KEY,
  );
  if (claim === undefined) throw new Error('no claim');
  const [first] = (await gateway.listUnfinished(claim)) as { id: number }[];
  const work = { messages: [first?.id ?? 0], state: 'done', outgoing: [], release: true } as const;
  await gateway.finishWork(claim, { ...work, changes: { sessionId: 's1' } });
}

const read = async (client: TestClient, name: string, args: Record<string, unknown> = {}) =>
  (await client.call(name, args)).structured as JsonObject;

verifies('SURF-8', 'reads chats, messages and attachments with the names and results of the original', async () => {
  const { store, target } = await openMcpServer();
  await addChats(store);
  const blob = await store.putBlob('s1', IMAGE, 'image/png');
  const attachment = {
    kind: 'image',
    name: 'cat.png',
    mediaType: 'image/png',
    hash: blob.hash,
    size: blob.size,
  } as const;
  await store.appendMessages('s1', [
    { role: 'user', content: `my key is ${SECRET}`, attachments: [attachment] },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'todo', arguments: '{}' }] },
    { role: 'tool', content: 'x', toolCallId: 'c', toolName: 'todo' },
    { role: 'assistant', content: 'MEDIA:/tmp/cat.png Done.' },
  ]);
  const client = await connectClient('v1', target());
  await client.toolNames();
  const { text, structured } = await client.call('conversations_list', {});
  expect(JSON.parse(text)).toEqual(structured);
  expect(structured).toEqual({
    count: 2,
    conversations: [
      {
        session_key: 'agent:main:discord:group:7',
        session_id: '',
        platform: 'discord',
        chat_type: 'group',
        display_name: 'General',
        chat_name: 'General',
        user_name: '',
        updated_at: '1970-01-01T00:00:02.000Z',
      },
      expect.objectContaining({ session_key: KEY, session_id: 's1', display_name: 'Ada', user_name: 'Ada' }),
    ],
  });
  expect(await read(client, 'conversations_list', { platform: 'Telegram' })).toMatchObject({ count: 1 });
  expect(await read(client, 'conversations_list', { search: 'gener', limit: 5 })).toMatchObject({ count: 1 });
  expect(await read(client, 'conversations_list', { limit: 1 })).toMatchObject({ count: 1 });
  expect(await read(client, 'conversation_get', { session_key: KEY })).toMatchObject({
    chat_id: '42',
    thread_id: null,
    created_at: '2026-01-02T03:04:05.678Z',
    total_tokens: 0,
  });
  const messages = await read(client, 'messages_read', { session_key: KEY });
  expect(messages).toMatchObject({
    session_key: KEY,
    count: 2,
    total_in_session: 2,
    messages: [
      { role: 'user', content: expect.not.stringContaining(SECRET) as string },
      { role: 'assistant', content: 'MEDIA:/tmp/cat.png Done.', timestamp: expect.any(Number) as number },
    ],
  });
  expect(await read(client, 'messages_read', { session_key: KEY, limit: 1 })).toMatchObject({ count: 1 });
  const [asked, answered] = messages['messages'] as { id: string }[];
  const attachments = (id = '') => client.call('attachments_fetch', { session_key: KEY, message_id: id });
  expect(await attachments(asked?.id)).toMatchObject({
    structured: {
      message_id: asked?.id,
      count: 1,
      attachments: [{ type: 'image', name: 'cat.png', media_type: 'image/png', size: IMAGE.length }],
    },
    images: [{ mimeType: 'image/png', data: IMAGE.toString('base64') }],
  });
  expect((await attachments(answered?.id)).structured).toMatchObject({
    attachments: [{ type: 'media', path: '/tmp/cat.png' }],
  });
  for (const [name, args, error] of [
    ['conversation_get', { session_key: 'x' }, 'Conversation not found: x.'],
    ['messages_read', { session_key: 'agent:main:discord:group:7' }, 'no session yet'],
    ['attachments_fetch', { session_key: KEY, message_id: '999' }, 'Message not found: 999.'],
    ['messages_read', { session_key: KEY, limit: 'many' }, '`limit` is invalid'],
  ] as const) {
    const failed = await client.call(name, args);
    expect(failed).toMatchObject({ isError: true, structured: undefined });
    expect((JSON.parse(failed.text) as { error: string }).error).toContain(error);
  }
});

verifies('SURF-8', 'reports messages and approvals since its start as events', async () => {
  const { store, target } = await openMcpServer();
  await addChats(store);
  await store.appendMessages('s1', [{ role: 'user', content: 'old' }]);
  const client = await connectClient('v2', target());
  // The server has noted what existed at its start when it answers this.
  const start = await read(client, 'events_poll');
  const next = Number(start['next_cursor']);
  const waiting = read(client, 'events_wait', { after_cursor: next, session_key: KEY });
  await store.appendMessages('s1', [
    { role: 'user', content: 'new' },
    { role: 'assistant', content: 'answer' },
  ]);
  expect(await waiting).toMatchObject({ event: { type: 'message', session_key: KEY, role: 'user', content: 'new' } });
  const polled = await read(client, 'events_poll', { after_cursor: next });
  expect(polled['events']).toMatchObject([{ content: 'new' }, { content: 'answer', role: 'assistant' }]);
  expect(await read(client, 'events_poll', { after_cursor: polled['next_cursor'] })).toMatchObject({ events: [] });
  expect(await read(client, 'events_poll', { after_cursor: next, limit: 1 })).toMatchObject({
    events: [{ content: 'new' }],
    next_cursor: next + 1,
  });
  expect(await read(client, 'events_wait', { after_cursor: polled['next_cursor'], timeout_ms: 0 })).toEqual({
    event: null,
    reason: 'timeout',
  });
  // The chat continues in another session after a compression: what was kept is not new.
  const [old] = await store.getMessages('s1');
  await store.splitSession('s1', { id: 's2', source: 'telegram', startedAt: 2 }, [{ copyOf: old?.id ?? 0 }]);
  const gateway = await store.openGatewayStore();
  await gateway.receive([
    {
      externalId: '2',
      kind: 'message',
      author: '42',
      body: {},
      sentAt: 1,
      receivedAt: 3000,
      chat: { key: KEY, account: 'telegram:1', source: { platform: 'telegram', chatType: 'dm', chatId: '42' } },
    },
  ]);
  const [claim] = (await gateway.claimChats({ owner: 'test', limit: 9, ttlMs: 60_000 })).filter(
    ({ key }) => key === KEY,
  );
  if (claim === undefined) throw new Error('no claim');
  await gateway.assignMessages(claim, { turnId: 't', sessionId: 's2' }, []);
  const work = { messages: [], state: 'done', outgoing: [], release: true } as const;
  await gateway.finishWork(claim, { ...work, changes: { sessionId: 's2' } });
  await store.appendMessages('s2', [{ role: 'user', content: 'after' }]);
  const later = await read(client, 'events_poll', { after_cursor: polled['next_cursor'] });
  expect(later['events']).toMatchObject([{ content: 'after' }]);
});

verifies(['SURF-8', 'APPR-3'], 'lists and decides approvals of other processes', async () => {
  const { store, target } = await openMcpServer();
  await store.createSession({ id: 's1', source: 'telegram', startedAt: 1 });
  const question = (id: string, expiresAt = Date.now() + 60_000) => ({
    id,
    key: KEY,
    sessionId: 's1',
    turnId: 't',
    request: {
      kind: 'approval',
      toolName: 'terminal',
      subject: 'rm -rf /srv',
      reasons: [{ rule: 'recursive delete', matched: 'rm -rf' }],
    } satisfies InteractionRequest as InteractionRequest,
    allowed: { role: 'admin' } as const,
    askedAt: Date.now(),
    expiresAt,
  });
  const client = await connectClient('v2', target());
  const { next_cursor: from } = await read(client, 'events_poll');
  await store.addQuestion(question('q1'));
  await store.addQuestion(question('expired', 1));
  await store.addQuestion({ ...question('q2'), request: { kind: 'clarify', question: 'Which?', choices: [] } });
  expect(await read(client, 'permissions_list_open')).toMatchObject({
    count: 1,
    approvals: [
      { id: 'q1', session_key: KEY, tool_name: 'terminal', subject: 'rm -rf /srv', reasons: ['recursive delete'] },
    ],
  });
  expect(await read(client, 'events_poll', { after_cursor: from })).toMatchObject({
    events: [{ type: 'approval_requested', approval_id: 'q1', session_key: KEY }],
  });
  const respond = (id: string, decision: string) => client.call('permissions_respond', { id, decision });
  expect((await respond('q1', 'yes')).text).toContain('allow-once');
  expect((await respond('q1', 'allow-once')).structured).toEqual({
    resolved: true,
    approval_id: 'q1',
    decision: 'allow-once',
  });
  expect(await store.getQuestion('q1')).toMatchObject({
    state: 'answered',
    answer: { answer: 'once' },
    answeredBy: { id: 'api:default' },
  });
  expect((await respond('q1', 'deny')).text).toContain('no longer open');
  expect((await respond('q2', 'deny')).text).toContain('not an approval');
  expect((await respond('q3', 'deny')).text).toContain('not found');
  const events = (await read(client, 'events_poll', { after_cursor: from }))['events'] as JsonObject[];
  expect(events.at(-1)).toMatchObject({ type: 'approval_resolved', approval_id: 'q1', decision: 'allow-once' });
});

verifies('SURF-8', 'sends messages through the outbox, and lists where to', async () => {
  const { sent, target } = await openMcpServer();
  const client = await connectClient('v2 legacy', target());
  expect(await read(client, 'channels_list')).toEqual({
    count: 2,
    channels: [
      { target: 'telegram:1', platform: 'telegram', name: 'Home', chat_type: 'home' },
      { target: 'discord:2:3', platform: 'discord', name: 'general', chat_type: 'group' },
    ],
  });
  expect(await read(client, 'channels_list', { platform: 'discord' })).toMatchObject({ count: 1 });
  const send = (message: string) => client.call('messages_send', { target: 'telegram:42', message });
  expect((await send('hello')).structured).toEqual({
    success: true,
    status: 'delivered',
    platform: 'telegram',
    chat_id: '42',
    message_id: 'm/0',
  });
  expect(sent).toMatchObject([{ target: { platform: 'telegram', chatId: '42' }, text: 'hello' }]);
  expect((await send('wait')).structured).toMatchObject({ success: true, status: 'waiting' });
  expect(await send('fail')).toMatchObject({ isError: true, text: expect.stringContaining('blocked') as string });
  expect(await send(' ')).toMatchObject({ isError: true });
});

it('finds sessions, and reads them as resources in pages without secrets', async () => {
  const { store, target } = await openMcpServer();
  for (let index = 0; index < 101; index += 1)
    await store.createSession({ id: `s${index}`, source: index === 0 ? 'cli' : 'cron', startedAt: 1000 + index });
  await store.appendMessages('s0', [
    { role: 'user', content: `a walrus with ${SECRET}` },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'todo', arguments: '{}' }] },
    { role: 'tool', content: 'x', toolCallId: 'c', toolName: 'todo' },
  ]);
  const client = await connectClient('v2', target());
  expect(await read(client, 'sessions_search', { query: 'walrus' })).toMatchObject({
    count: 1,
    complete: true,
    results: [
      {
        session_id: 's0',
        uri: 'hermes://session/s0',
        role: 'user',
        snippet: expect.stringContaining('>>>walrus<<<') as string,
      },
    ],
  });
  expect(await read(client, 'sessions_search', { query: 'walrus', source: 'cron' })).toMatchObject({ count: 0 });
  const uris = await client.resources();
  expect(uris).toHaveLength(101);
  expect(uris.at(-1)).toBe('hermes://session/s0');
  const session = JSON.parse(await client.read('hermes://session/s0')) as JsonObject;
  expect(session).toMatchObject({
    session_id: 's0',
    omitted_messages: 0,
    messages: [{ role: 'user' }, { tool_calls: [{ name: 'todo' }] }, { role: 'tool', tool_call_id: 'c' }],
  });
  expect(JSON.stringify(session)).not.toContain(SECRET);
  await expect(client.read('hermes://session/none')).rejects.toThrow('no resource');
  await expect(client.read('https://example.com')).rejects.toThrow('no resource');
});
