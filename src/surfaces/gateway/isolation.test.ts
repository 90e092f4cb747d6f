import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { accessWith, openGateway } from '../../../test/support/gateway-fixture.ts';
import { dose } from '../../../test/support/dose.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import type { ChatSource } from '../../contracts/index.ts';
import { sessionKey } from './session-key.ts';

const KEYS = { groupPerUser: true, threadPerUser: false };

/** Sources that differ in as little as possible: an id of one is the chat, the thread or the user of another. */
const source = fc.record(
  {
    chatType: fc.constantFrom('dm', 'group', 'channel', 'thread'),
    chatId: fc.constantFrom('7', '8', '-1', '-17'),
    threadId: fc.constantFrom('7', '1'),
    userId: fc.constantFrom('7', '8'),
  },
  { requiredKeys: ['chatType', 'chatId', 'userId'] },
);

verifies(
  'GW-11',
  'sources with different keys never see text, answers or permissions of each other',
  { timeout: 120_000 },
  async () => {
    const { server, start } = await openGateway({ keys: KEYS, access: accessWith({ admins: { dm: ['7', '8'] } }) });
    // Repeats everything that the model can see, and asks for a permission that an earlier answer may have given.
    server.setScript(({ messages }) => {
      const said = messages.map(({ text }) => text).join(' ');
      return { text: `Seen: ${[...said.matchAll(/secret-\d+/g)].map(([word]) => word).join(' ')}` };
    });
    const chat = await start();
    let secrets = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(source, { minLength: 2, maxLength: 5 }), async (sources) => {
        const said = new Map<string, string[]>();
        for (const each of sources as Partial<ChatSource>[]) {
          const key = sessionKey({ platform: 'test', ...each } as ChatSource, KEYS);
          const conversation = await (await chat.runtime.store.openGatewayStore()).getGatewayConversation(key);
          const stored = conversation?.sessionId
            ? await chat.runtime.store.getConversation(conversation.sessionId)
            : [];
          const known = stored.filter(({ role }) => role === 'user').map(({ content }) => content);
          const own = [...known, ...(said.get(key) ?? [])];
          const secret = `secret-${(secrets += 1)}`;
          const before = chat.sent.length;
          await chat.say(secret, each);
          await vi.waitFor(() => expect(chat.sent.length).toBeGreaterThan(before), 20_000);
          const answer = chat.sent.at(-1);
          const seen = [...(answer?.content?.text ?? '').matchAll(/secret-\d+/g)].map(([word]) => word);
          const allowed = new Set([...own.join(' ').matchAll(/secret-\d+/g)].map(([word]) => word).concat(secret));
          expect(seen.filter((word) => !allowed.has(word))).toEqual([]);
          expect(seen).toContain(secret);
          expect(answer?.target).toMatchObject({ chatId: each.chatId });
          expect(answer?.target.threadId).toBe(each.threadId);
          await chat.rest();
        }
      }),
      { numRuns: dose(8, 60) },
    );
  },
);

verifies('GW-11', 'only the agent of an admin recalls memory and other sessions, and writes for later', async () => {
  const { home, server, start } = await openGateway({ keys: KEYS });
  await home.write('memories/MEMORY.md', 'The alarm code is 4711.');
  server.setScript(({ messages }) => ({ text: `You said ${messages.at(-1)?.text}` }));
  const chat = await start();
  const ask = async (from: Partial<ChatSource>) => {
    const before = server.requests.length;
    await chat.say('hello', from);
    await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(before), 8000);
    await chat.rest();
    const request = server.requests.slice(before).find((each) => each.toolNames.length > 1);
    return {
      recalls: ['memory', 'session_search', 'skill_manage'].filter((name) => request?.toolNames.includes(name)),
      knows: request?.rawBody.includes('4711'),
    };
  };
  const everything = { recalls: ['memory', 'session_search', 'skill_manage'], knows: true };
  const nothing = { recalls: [], knows: false };
  expect(await ask({})).toEqual(everything);
  expect(await ask({ chatId: '8', userId: '8' })).toEqual(nothing);
  const group = { chatType: 'group', chatId: '-1' } as const;
  expect(await ask({ ...group, userId: '7' })).toEqual(everything);
  expect(await ask({ ...group, userId: '8' })).toEqual(nothing);
  // Others write to the session of a thread too, and read its answers.
  expect(await ask({ ...group, threadId: '3', userId: '7' })).toEqual(nothing);
});

verifies('GW-11', 'a permission for a session does not count in another chat', async () => {
  const { home, server, start } = await openGateway();
  await home.write('build/old.o', 'x');
  server.setScript(({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return { text: 'Cleaned.' };
    return { toolCalls: [{ name: 'terminal', arguments: { command: `rm -rf ${home.path}/build` } }] };
  });
  const chat = await start();
  await chat.say('clean up');
  await chat.see('Allow this?');
  await chat.press('Allow for this session');
  await chat.see('Cleaned.');
  const group = { chatType: 'group' as const, chatId: '-1' };
  await chat.say('clean up', group);
  await vi.waitFor(
    () => expect(chat.sent.filter(({ target }) => target.chatId === '-1').at(-1)?.content?.text).toMatch('Allow this?'),
    8000,
  );
  await chat.press('Deny', group);
});

verifies('GW-10', 'an answer goes where its message came from, not where the bot was used last', async () => {
  const { server, start } = await openGateway();
  const gate = Promise.withResolvers<void>();
  server.setScript(async ({ messages }) => {
    const text = messages.at(-1)?.text ?? '';
    if (text.endsWith('slow')) await gate.promise;
    return { text: `Answer to ${text.split(' ').at(-1)}` };
  });
  const chat = await start();
  await chat.say('slow', { chatType: 'group', chatId: '-1', threadId: '5' });
  await server.nextRequest();
  await chat.say('quick', { chatId: '8', userId: '8' });
  await chat.see('Answer to quick');
  gate.resolve();
  await chat.see('Answer to slow');
  expect(chat.sent.map(({ target, content }) => [content?.text, target.chatId, target.threadId])).toEqual([
    ['Answer to quick', '8', undefined],
    ['Answer to slow', '-1', '5'],
  ]);
});

verifies('GW-9', 'two chats that share a session run one turn at a time', async () => {
  const { server, start } = await openGateway();
  let running = 0;
  let most = 0;
  server.setScript(async ({ messages, toolNames }) => {
    // The title of a session is not part of a turn.
    if (toolNames.length === 0) return { text: 'A title' };
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 100));
    running -= 1;
    return { text: `I have ${messages.length} messages.` };
  });
  const chat = await start();
  await chat.say('hello');
  await chat.see('I have 1 messages.');
  await chat.rest();
  const [session] = await chat.runtime.store.listSessions({});
  const group = { chatType: 'group' as const, chatId: '-1' };
  await chat.say(`/resume ${session?.id}`, group);
  await vi.waitFor(() => expect(chat.sent).toHaveLength(2), 8000);
  await chat.rest();
  most = 0;
  await Promise.all([chat.say('one'), chat.say('two', group)]);
  await chat.see('I have 3 messages.');
  await vi.waitFor(() => expect(chat.texts().join()).toContain('I have 5 messages.'), 20_000);
  expect(most).toBe(1);
});
