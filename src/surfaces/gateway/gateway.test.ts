import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject } from '../../base/index.ts';
import type { createRuntime } from '../../runtime/index.ts';
import { figures, openGateway as open } from '../../../test/support/gateway-fixture.ts';
import { createPairing } from './people/pairing.ts';

verifies('SURF-4', 'answers a message, and continues the session after a restart', async () => {
  const { server, start } = await open();
  server.setScript(({ messages }) => ({ text: `I have ${messages.length} messages.` }));
  const first = await start();
  await first.say('hello');
  await first.see('I have 1 messages.');
  await first.close();
  const second = await start();
  await second.say('and now?');
  await second.see('I have 3 messages.');
  expect(second.sent).toHaveLength(1);
  const [session] = await second.runtime.store.listSessions({});
  expect(session?.source).toBe('test');
});

verifies('GW-22', 'gives a stranger a pairing code and nothing else', async () => {
  const { home, server, start } = await open();
  server.setScript(() => ({ text: 'Welcome.' }));
  const chat = await start();
  const stranger = { chatId: '9', userId: '9', userName: 'Ana' };
  await chat.say('let me in', stranger);
  await chat.see(/pairing code is `([A-Z2-9]{8})`/);
  expect(server.requests).toHaveLength(0);
  const [, code = ''] = /`([A-Z2-9]{8})`/.exec(chat.texts().join()) ?? [];
  await createPairing(home.path, { now: () => Date.now() }).approve('test', code);
  await chat.say('hello', stranger);
  await chat.see('Welcome.');
  await chat.say('hi', { chatType: 'group', chatId: '-1', userId: '99' });
  await vi.waitFor(async () => expect(chat.gateway.working).toBe(0), 5000);
  expect(chat.sent).toHaveLength(2);
});

verifies('GW-23', 'lets only an admin approve a command, also in a group', async () => {
  const { home, server, start } = await open();
  await home.write('build/old.o', 'x');
  server.setScript(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: `Result: ${last.text}` };
    return { toolCalls: [{ name: 'terminal', arguments: { command: `rm -rf ${join(home.path, 'build')}` } }] };
  });
  const chat = await start();
  const group = { chatType: 'group' as const, chatId: '-1' };
  await chat.say('clean up', { ...group, userId: '8' });
  await chat.see('Allow this?');
  await chat.press('Allow once', { ...group, userId: '8' });
  await vi.waitFor(() => expect(chat.acknowledged).toEqual(['Only an admin may answer this.']), 5000);
  await chat.press('Allow once', { ...group, userId: '7' });
  await chat.see('Result:');
  expect(chat.acknowledged.at(-1)).toBe('Thank you.');
});

verifies('GW-3', 'answers a command while the model hangs, and steers with a message', async () => {
  const { server, start } = await open();
  const gate = Promise.withResolvers<void>();
  server.setScript(async ({ messages }) => {
    if (messages.length === 1) await gate.promise;
    return { text: `Done: ${messages.at(-1)?.text}` };
  });
  const chat = await start();
  await chat.say('work');
  await server.nextRequest();
  await chat.say('/status');
  await chat.see(/test-model/);
  await chat.say('in blue');
  gate.resolve();
  await chat.see(/Done: .*in blue/s);
  await vi.waitFor(async () => expect(await figures(chat)).toMatchObject({ waiting: 0, unsent: 0 }), 5000);
});

it('runs one turn from all messages that waited', async () => {
  const { server, start } = await open({ busyMode: 'queue' });
  const gate = Promise.withResolvers<void>();
  server.setScript(async ({ messages }) => {
    if (messages.length === 1) await gate.promise;
    return { text: `Last: ${messages.at(-1)?.text}` };
  });
  const chat = await start();
  await chat.say('one');
  await server.nextRequest();
  await chat.say('two');
  await chat.say('three');
  gate.resolve();
  await chat.see('Last: two\n\nthree');
  expect(chat.sent).toHaveLength(2);
});

verifies(
  'GW-23',
  'lets users who are not admins run harmless commands only, and forwarded commands never',
  async () => {
    const { server, start } = await open();
    server.setScript(({ messages }) => ({ text: `Read: ${messages.at(-1)?.text}` }));
    const chat = await start();
    const user = { chatId: '8', userId: '8' };
    await chat.say('/sessions', user);
    await chat.see('Only an admin may use /sessions here.');
    await chat.say('/help', user);
    await chat.see('/status');
    await chat.forward('/yolo', 'Mallory');
    await chat.see(/Read: \[Forwarded text of Mallory/);
  },
);

verifies('GW-11', '/new starts a session that is still used after a restart', async () => {
  const { server, start } = await open();
  server.setScript(({ messages }) => ({ text: `I have ${messages.length} messages.` }));
  const first = await start();
  await first.say('hello');
  await first.see('I have 1 messages.');
  await first.say('/new');
  await vi.waitFor(() => expect(first.sent).toHaveLength(2), 5000);
  await first.close();
  const second = await start();
  await second.say('hello again');
  await second.see('I have 1 messages.');
});

verifies('GW-18', 'answers the messages of a turn that was interrupted by the end of the gateway', async () => {
  const { server, start } = await open();
  const gate = Promise.withResolvers<void>();
  server.setScript(async () => {
    if (server.requests.length === 1) await gate.promise;
    return { text: 'Here is the answer.' };
  });
  const first = await start();
  await first.say('work');
  await server.nextRequest();
  await first.close(10);
  gate.resolve();
  expect(first.sent).toEqual([]);
  const second = await start();
  await second.see('Here is the answer.');
});

verifies(
  ['GW-6', 'GW-23'],
  'send_message asks an admin, sends through the outbox, and is known in the other chat',
  async () => {
    const { server, start } = await open();
    server.setScript(({ messages }) => {
      const last = messages.at(-1);
      const send = (target: string, message: string) => ({
        toolCalls: [{ name: 'send_message', arguments: { action: 'send', target, message } }],
      });
      if (last?.role === 'tool') return { text: `Tool: ${last.text}` };
      if (last?.text === 'tell 7') return send('test:#ana', 'The **news**');
      if (last?.text === 'note') return send('test:8', 'a note');
      return { text: `I said: ${messages.map(({ text }) => text).join(' | ')}` };
    });
    const chat = await start();
    await chat.say('hello', { chatId: '7', userId: '7', userName: 'Ana' });
    await chat.see('I said: hello');
    const group = { chatType: 'group' as const, chatId: '-1' };
    await chat.say('tell 7', { ...group, userId: '8' });
    await chat.see(/Allow this\?.*send_message.*Ana \(test:7\)/s);
    await chat.press('Allow once', { ...group, userId: '8' });
    await vi.waitFor(() => expect(chat.acknowledged).toEqual(['Only an admin may answer this.']), 5000);
    await chat.press('Allow once', { ...group, userId: '7' });
    await chat.see('Tool: The message was delivered to Ana (test:7).');
    expect(chat.sent.filter(({ target }) => target.chatId === '7').map(({ content }) => content?.text)).toContain(
      'The **news**',
    );
    await vi.waitFor(async () => expect(await lastMessage(chat, 'hello')).toBe('The **news**'), 5000);
    await chat.say('what was that?', { chatId: '7', userId: '7' });
    await chat.see(/hello \| I said: hello\s+The \*\*news\*\* \| what was that/);
    await chat.say('note', { chatId: '8', userId: '8' });
    await chat.see('Tool: The message was delivered to');
    expect(chat.texts().filter((text) => text?.includes('Allow this?'))).toHaveLength(1);
  },
);

/** The newest message of the session that begins with a text. */
async function lastMessage(
  { runtime: { store } }: { runtime: Awaited<ReturnType<typeof createRuntime>> },
  begin: string,
) {
  for (const { id } of await store.listSessions({})) {
    const messages = await store.getConversation(id);
    if (messages[0]?.content === begin) return messages.at(-1)?.content;
  }
  return undefined;
}

it('reports why a message was not sent, and lists the chats', async () => {
  const { server, start } = await open();
  server.setScript(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: `Tool: ${last.text}` };
    return { toolCalls: [{ name: 'send_message', arguments: JSON.parse(last?.text ?? '{}') as JsonObject }] };
  });
  const chat = await start();
  const call = (args: object) => chat.say(JSON.stringify(args));
  await call({ action: 'list' });
  await chat.see('Tool: test:7: 7 (dm)');
  await call({ action: 'send', target: 'test', message: 'x' });
  await chat.see('test has no home channel. Send /sethome in a chat');
  await call({ action: 'send', target: 'test:#nobody' });
  await chat.see('send requires message');
  await call({ action: 'send', target: 'nowhere:1', message: 'x' });
  await chat.see('is not a configured messaging platform. Use test.');
  expect(chat.texts().filter((text) => text?.includes('error'))).toHaveLength(3);
});
