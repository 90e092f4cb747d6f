import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { openGateway, RESETS } from '../../../../test/support/gateway-fixture.ts';
import { policyFor, resetReason } from './reset-policy.ts';

const HOUR = 3_600_000;
const IDLE = { mode: 'idle', atHour: 4, idleMinutes: 60 } as const;
const count = ({ messages }: { messages: readonly unknown[] }) => ({ text: `I have ${messages.length} messages.` });

describe('the reset policy', () => {
  const at = (text: string) => Date.parse(text);
  const reason = (mode: 'both' | 'idle' | 'daily' | 'none', last: string, now: string, timeZone = 'UTC') =>
    resetReason({ mode, atHour: 4, idleMinutes: 1440 }, { lastActiveAt: at(last), now: at(now), timeZone });

  it.each([
    ['none', '2026-01-01T00:00Z', '2026-02-01T00:00Z', undefined],
    ['idle', '2026-01-01T03:00Z', '2026-01-02T03:00Z', undefined],
    ['idle', '2026-01-01T03:00Z', '2026-01-02T03:01Z', 'idle'],
    ['daily', '2026-01-01T03:59Z', '2026-01-01T04:00Z', 'daily'],
    ['daily', '2026-01-01T04:00Z', '2026-01-02T03:59Z', undefined],
    ['daily', '2026-01-01T04:00Z', '2026-01-02T04:00Z', 'daily'],
    ['daily', '2026-01-01T05:00Z', '2026-03-01T03:00Z', 'daily'],
    ['both', '2026-01-01T03:59Z', '2026-01-01T04:00Z', 'daily'],
    ['both', '2026-01-01T05:00Z', '2026-01-02T05:01Z', 'idle'],
  ] as const)('%s: last used %s, now %s: %s', (mode, last, now, expected) => {
    expect(reason(mode, last, now)).toBe(expected);
  });

  it.each([
    // The clock goes forward at 2:00 and back at 3:00 in Berlin.
    ['2026-03-29T01:30:00Z', '2026-03-29T02:00:00Z', 'daily'],
    ['2026-03-29T02:00:00Z', '2026-03-30T01:59:00Z', undefined],
    ['2026-10-25T02:59:00Z', '2026-10-25T03:00:00Z', 'daily'],
    ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', undefined],
  ])('follows the local clock when it is changed: %s, %s', (last, now, expected) => {
    expect(reason('daily', last, now, 'Europe/Berlin')).toBe(expected);
  });

  it('is that of the platform, else that of the chat type, else the general one', () => {
    const policy = (idleMinutes: number) => ({ ...IDLE, idleMinutes });
    const settings = {
      ...RESETS,
      general: policy(1),
      byPlatform: { telegram: policy(2) },
      byType: { group: policy(3), dm: policy(4) },
    };
    const minutes = (platform: string, chatType: 'dm' | 'group' | 'channel') =>
      policyFor({ platform, chatType, chatId: '1' }, settings).idleMinutes;
    expect([minutes('telegram', 'group'), minutes('slack', 'group'), minutes('slack', 'channel')]).toEqual([2, 3, 1]);
  });
});

verifies('SURF-4', 'starts a new session after the idle time, and tells the chat once', async () => {
  const { server, start, advance } = await openGateway({ resets: { ...RESETS, general: IDLE } });
  server.setScript(count);
  const chat = await start();
  await chat.say('hello');
  await chat.see('I have 1 messages.');
  await chat.rest();
  advance(HOUR / 2);
  await chat.say('still there?');
  await chat.see('I have 3 messages.');
  await chat.rest();
  const [before] = await chat.runtime.store.listSessions({});
  advance(HOUR + 60_000);
  await chat.say('and now?');
  await vi.waitFor(() => expect(chat.sent).toHaveLength(4), 8000);
  expect(chat.texts().slice(2)).toEqual([
    `Started a new session, because there was no message for 1 hour. Use \`/resume ${before?.id}\` to continue the previous one.`,
    'I have 1 messages.',
  ]);
  expect(await chat.runtime.store.getSession(before?.id ?? '')).toMatchObject({ endReason: 'session_reset' });
  // A resumed session counts as used, however old it is.
  await chat.say(`/resume ${before?.id}`);
  await vi.waitFor(() => expect(chat.sent).toHaveLength(5), 8000);
  await chat.say('back again');
  await chat.see('I have 5 messages.');
});

it('does not tell platforms that are excluded', async () => {
  const resets = { ...RESETS, general: IDLE, silentPlatforms: ['test'] };
  const { server, start, advance } = await openGateway({ resets });
  server.setScript(count);
  const chat = await start();
  await chat.say('hello');
  await chat.see('I have 1 messages.');
  await chat.rest();
  advance(2 * HOUR);
  await chat.say('hello');
  await vi.waitFor(() => expect(chat.texts()).toEqual(['I have 1 messages.', 'I have 1 messages.']), 8000);
});

verifies('SURF-4', 'keeps a session while one of its processes runs', async () => {
  const resets = { ...RESETS, general: IDLE };
  const { server, start, advance } = await openGateway(
    { resets, keepOpenMs: 50 },
    { config: 'approvals: { mode: off }\n' },
  );
  server.setScript(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'user' && last.text.includes('start')) {
      const call = { name: 'terminal', arguments: { command: 'sleep 60', background: true } };
      return { toolCalls: [call] };
    }
    return { text: `I have ${messages.length} messages.` };
  });
  const chat = await start();
  await chat.say('start it');
  await chat.see('I have 3 messages.');
  await chat.rest();
  advance(2 * HOUR);
  await chat.say('more');
  await chat.see('I have 5 messages.');
});

verifies('GW-19', 'closes idle conversations, and keeps what was chosen for the session', async () => {
  const { server, start } = await openGateway({ keepOpenMs: 1 });
  server.setScript(count);
  const chat = await start();
  await chat.say('hello');
  await chat.see('I have 1 messages.');
  await chat.say('/yolo on');
  await chat.see('YOLO is on');
  await vi.waitFor(() => expect(chat.gateway.openSessions).toBe(0), 8000);
  await chat.say('/status');
  await chat.see(/yolo +on/);
});

verifies('CTX-3', 'compresses a conversation of 400 messages before the next turn', async () => {
  const { server, start } = await openGateway();
  server.setScript(({ messages, toolNames }) => ({
    text: toolNames.length === 0 ? 'Summary of the conversation.' : `I have ${messages.length} messages.`,
  }));
  const chat = await start();
  await chat.say('hello');
  await chat.see('I have 1 messages.');
  await chat.rest();
  const [session] = await chat.runtime.store.listSessions({});
  const messages = Array.from({ length: 199 }, (_, index) => [
    { role: 'user' as const, content: `question ${index} ${'about it '.repeat(20)}` },
    { role: 'assistant' as const, content: `answer ${index} ${'and more '.repeat(20)}` },
  ]).flat();
  await chat.runtime.store.appendMessages(session?.id ?? '', messages);
  await chat.close();
  const again = await start();
  await again.say('next');
  await again.see(/I have \d{1,2} messages\./);
});

verifies('GW-11', 'continues the sessions of the original, and reads what is valid of its list', async () => {
  const { home, server, start } = await openGateway();
  server.setScript(count);
  const first = await start();
  await first.say('hello', { chatId: '8', userId: '8' });
  await first.see('I have 1 messages.');
  const [session] = await first.runtime.store.listSessions({});
  await first.close();
  const entry = (changes: object) => ({ session_id: session?.id, updated_at: new Date().toISOString(), ...changes });
  await mkdir(join(home.path, 'sessions'), { recursive: true });
  await writeFile(
    join(home.path, 'sessions/sessions.json'),
    JSON.stringify({
      'agent:main:test:dm:7': entry({ suspended: false }),
      'agent:main:test:dm:9': { session_id: 5 },
      'agent:main:test:dm:10': null,
      'agent:main:test:group:1:7': entry({ session_id: 'gone' }),
    }),
  );
  const second = await start();
  expect(second.problems).toEqual([expect.stringMatching(/sessions\.json: 2 of 4 entries are not valid/)]);
  await second.say('hello again');
  await second.see('I have 3 messages.');
  await second.say('hi', { chatType: 'group', chatId: '1' });
  await second.see('I have 1 messages.');
});

verifies('GW-11', 'writes the sessions of chats for the original, and keeps what it does not know', async () => {
  const { home, server, start } = await openGateway();
  server.setScript(count);
  const file = join(home.path, 'sessions/sessions.json');
  const read = async () => JSON.parse(await readFile(file, 'utf8')) as Record<string, { session_id: string }>;
  await mkdir(join(home.path, 'sessions'), { recursive: true });
  const foreign = { session_id: 'other', added_later: [1] };
  const own = { session_id: 'gone', suspended: true, added_later: true, memory_flushed: true };
  await writeFile(file, JSON.stringify({ 'agent:main:signal:dm:1': foreign, 'agent:main:test:dm:7': own }));
  const chat = await start();
  await chat.say('hello', { userName: 'Ana' });
  await chat.see('I have 1 messages.');
  const [session] = await chat.runtime.store.listSessions({});
  await chat.close();
  const written = await read();
  expect(written['agent:main:signal:dm:1']).toEqual(foreign);
  expect(written['agent:main:test:dm:7']).toEqual({
    added_later: true,
    memory_flushed: true,
    estimated_cost_usd: 0,
    cost_status: 'unknown',
    session_key: 'agent:main:test:dm:7',
    session_id: session?.id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
    display_name: 'Ana',
    platform: 'test',
    chat_type: 'dm',
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
    cache_read_tokens: expect.any(Number),
    cache_write_tokens: expect.any(Number),
    total_tokens: expect.any(Number),
    last_prompt_tokens: expect.any(Number),
    suspended: false,
    origin: {
      platform: 'test',
      chat_id: '7',
      chat_name: null,
      chat_type: 'dm',
      user_id: '7',
      user_name: 'Ana',
      thread_id: null,
      chat_topic: null,
    },
  });
  const again = await start();
  await again.say('/new');
  await again.say('hello again');
  await vi.waitFor(() => expect(again.texts()).toContain('I have 1 messages.'), 8000);
  await vi.waitFor(async () => expect((await read())['agent:main:test:dm:7']?.session_id).not.toBe(session?.id), 8000);
});

it.each(['', '[]', '{"a": ', '\u0000\u0001', '{"__proto__": {"session_id": "x"}}'])(
  'starts with sessions.json = %j',
  async (content) => {
    const { home, server, start } = await openGateway();
    server.setScript(count);
    await mkdir(join(home.path, 'sessions'), { recursive: true });
    await writeFile(join(home.path, 'sessions/sessions.json'), content);
    const chat = await start();
    await chat.say('hello');
    await chat.see('I have 1 messages.');
    expect(chat.sent).toHaveLength(1);
  },
);
