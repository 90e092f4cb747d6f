import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { SlashContext } from '../../slash/index.ts';
import { accessWith, openGateway } from '../../../../test/support/gateway-fixture.ts';

/** The commands of the original in chats. */
const ORIGINAL =
  'new reset retry undo title branch compress rollback snapshot stop approve deny background btw queue status profile sethome resume model provider personality verbose yolo reasoning fast voice reload reload-mcp commands help restart usage insights update debug plan whoami sessions platform steer cron';
const USER = { chatId: '8', userId: '8' };

describe('slash commands in a chat', () => {
  verifies('SURF-3', 'answers every command of the original, also those that work elsewhere', async () => {
    const { server, start } = await openGateway();
    server.setScript(() => ({ text: 'An answer.' }));
    const chat = await start();
    for (const [index, name] of ORIGINAL.split(' ').entries()) {
      await chat.say(`/${name}`);
      await vi.waitFor(() => expect(chat.sent, name).toHaveLength(index + 1), 8000);
    }
    const answers = Object.fromEntries(ORIGINAL.split(' ').map((name, index) => [name, chat.texts()[index] ?? '']));
    for (const [name, text] of Object.entries(answers)) {
      expect(text, name).not.toContain('Unknown command');
      expect(text.trim(), name).not.toBe('');
    }
    for (const name of ['rollback', 'verbose', 'snapshot', 'btw', 'voice', 'restart', 'update', 'debug'])
      expect(answers[name], name).toContain(`/${name} is not available in a chat.`);
    expect(answers['whoami']).toMatch(/user +7\n[^]*role +admin/);
    expect(answers['platform']).toContain('connected');
    expect(answers['help']).not.toContain('Ctrl-C');
    expect(answers['sethome']).toContain('home channel');
    expect(server.requests).toHaveLength(0);
  });

  it('/sethome writes the keys of both programs', async () => {
    const { home, start } = await openGateway();
    const chat = await start();
    await chat.say('/sethome', { chatName: 'My chat' });
    await chat.see('home channel');
    const config = await readFile(join(home.path, 'config.yaml'), 'utf8');
    expect(config).toMatch(/platforms:\n +test:\n +home_channel:\n +platform: test\n +chat_id: "?7"?\n +name: My chat/);
    expect(config).toContain('TEST_HOME_CHANNEL: ');
  });

  it('/retry sends the last message again, and can be repeated', async () => {
    const { server, start } = await openGateway();
    server.setScript(({ messages }) => ({ text: `${server.requests.length}: ${messages.at(-1)?.text}` }));
    const chat = await start();
    await chat.say('what is it?');
    await chat.see('1: what is it?');
    for (const number of [2, 3]) {
      await chat.rest();
      await chat.say('/retry');
      await chat.see(new RegExp(`[${number}-9]: what is it\\?`));
    }
    const turns = server.requests.filter(({ toolNames }) => toolNames.length > 0);
    expect(turns.map(({ messages }) => messages.map(({ text }) => text))).toEqual(turns.map(() => ['what is it?']));
  });

  it('/stop drops a turn that waits, and /new replaces it', async () => {
    const { server, start } = await openGateway({ busyMode: 'queue' });
    server.setScript(async ({ messages }) => {
      if (messages.at(-1)?.text === 'hang') await new Promise(() => undefined);
      return { text: `I have ${messages.length} messages.` };
    });
    const chat = await start();
    await chat.say('hang');
    await server.nextRequest();
    await chat.say('/stop');
    await chat.see('Done.');
    await chat.rest();
    await chat.say('hang');
    await server.nextRequest();
    await chat.say('/new');
    await chat.see('Started a new session');
    await chat.say('hello');
    await chat.see('I have 1 messages.');
    expect(chat.sent).toHaveLength(3);
  });

  verifies('GW-3', '/status and /new are answered although turns of other chats take all places', async () => {
    const { server, start } = await openGateway({ access: accessWith({ allowAll: true, admins: { dm: ['7'] } }) });
    server.setScript(({ messages }) => {
      const text = messages.at(-1)?.text ?? '';
      return text === 'hang' ? new Promise(() => undefined) : { text: `Answer to ${text}.` };
    });
    const chat = await start();
    const textsIn = (id: string) =>
      chat.sent.flatMap(({ target, content }) => (target.chatId === id ? [content?.text] : []));
    const hanging = ['11', '12', '13', '14'];
    for (const id of hanging) await chat.say('hang', { chatId: id, userId: id });
    await vi.waitFor(() => expect(server.requests.length).toBeGreaterThanOrEqual(hanging.length), 8000);
    await chat.say('/status', { chatId: '15', userId: '15' });
    await vi.waitFor(() => expect(textsIn('15')).toEqual([expect.stringContaining('test-model')]), 2000);
    await chat.say('hello', { chatId: '15', userId: '15' });
    await chat.say('/new', { chatId: '15', userId: '15' });
    await vi.waitFor(() => expect(textsIn('15')).toHaveLength(2), 2000);
    await chat.say('/stop', { chatId: '11', userId: '11' });
    await vi.waitFor(() => expect(textsIn('15').at(-1)).toBe('Answer to hello.'), 8000);
    for (const id of hanging.slice(1)) await chat.say('/stop', { chatId: id, userId: id });
  });

  verifies('GW-3', '/approve and /deny answer the oldest question, with a reason for the model', async () => {
    const { home, server, start } = await openGateway();
    await home.write('build/a', 'x');
    server.setScript(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'user') {
        const command = `rm -rf ${join(home.path, 'build', last.text)}`;
        return { toolCalls: [{ name: 'terminal', arguments: { command } }] };
      }
      return {
        text: `Result: ${messages
          .slice(-2)
          .map(({ text }) => text)
          .join(' ')}`,
      };
    });
    const chat = await start();
    await chat.say('/approve');
    await chat.see('Nothing is waiting for approval.');
    await chat.say('a');
    await chat.see('Allow this?');
    await chat.say('/deny keep the folder');
    await chat.see(/Result: [^]*keep the folder/);
    await chat.rest();
    await chat.say('b');
    await vi.waitFor(() => expect(chat.texts().filter((text) => text?.includes('Allow this?'))).toHaveLength(2), 8000);
    await chat.say('/approve', { userId: '8' });
    await chat.see('Only an admin may answer this.');
    await chat.say('/approve all session');
    await chat.see('Allowed.');
    await vi.waitFor(() => expect(chat.texts().filter((text) => text?.startsWith('Result:'))).toHaveLength(2), 8000);
  });
});

describe('who may run what', () => {
  const quickCommands = [
    { name: 'up', type: 'exec', command: 'echo it is "$((40 + 2))"; exit 3' },
    { name: 'st', type: 'alias', target: '/status' },
    { name: 'models', type: 'alias', target: 'model' },
    { name: 'loop', type: 'alias', target: 'st' },
    { name: 'help', type: 'exec', command: 'true' },
  ] as const;

  verifies('GW-23', 'lets quick commands, aliases and skills pass the same check as commands', async () => {
    const access = accessWith({ userCommands: { dm: ['/up', 'models', 'st', 'status'], group: [] } });
    const { home, server, start } = await openGateway({ access }, { quickCommands });
    await home.write('skills/notes/sta/SKILL.md', '---\nname: sta\ndescription: Take notes\n---\nSecret steps.\n');
    server.setScript(({ messages }) => ({ text: `Read: ${messages.at(-1)?.text}` }));
    const chat = await start();
    expect(chat.problems).toEqual([
      expect.stringContaining('quick_commands.help'),
      expect.stringContaining('An alias cannot stand for another alias.'),
    ]);
    const ask = async (line: string, source: object = USER) => {
      const before = chat.sent.length;
      await chat.say(line, source);
      await vi.waitFor(() => expect(chat.sent.length, line).toBe(before + 1), 8000);
      return chat.texts().at(-1);
    };
    expect(await ask('/up')).toBe('it is 42\n[exit code 3]');
    expect(await ask('/st')).toContain('test-model');
    // The alias is allowed, but not what it stands for.
    expect(await ask('/models')).toBe('Only an admin may use /model here.');
    expect(await ask('/new')).toBe('Only an admin may use /new here.');
    // An abbreviation of an allowed command may be a skill that is not allowed.
    expect(await ask('/sta')).toBe('Only an admin may use /sta here.');
    // As plugins add their commands.
    const print = ({ print: say }: SlashContext) => say('deployed');
    chat.registry.add({ name: 'deploy', group: 'tools', about: 'deploy', duringTurn: 'afterwards', run: print });
    expect(await ask('/deploy')).toBe('Only an admin may use /deploy here.');
    expect(await ask('/deploy', {})).toBe('deployed');
    expect(await ask('/whoami')).toContain('user');
    const group = { ...USER, chatType: 'group', chatId: '-1' };
    expect(await ask('/up', group)).toBe('Only an admin may use /up here.');
    expect(await ask('/help', group)).toMatch(/\/whoami[^]*\/help/);
    expect(chat.texts().at(-1)).not.toContain('/model');
    expect(await ask('/sta now', {})).toContain('Secret steps.');
  });

  verifies('GW-23', 'never lets a list of commands give a user what requires an admin', async () => {
    const { start } = await openGateway({
      access: accessWith({ userCommands: { dm: ['yolo', 'reload', 'sethome'] } }),
    });
    const chat = await start();
    for (const [index, name] of ['yolo', 'reload', 'sethome'].entries()) {
      await chat.say(`/${name}`, USER);
      await vi.waitFor(() => expect(chat.texts()[index]).toContain(`/${name} requires the role admin`), 8000);
    }
  });

  verifies('GW-23', 'does not let /retry run the skill of an admin for another user', async () => {
    const keys = { groupPerUser: false, threadPerUser: false };
    const { home, server, start } = await openGateway({ keys });
    await home.write('skills/notes/take/SKILL.md', '---\nname: take\ndescription: Take notes\n---\nSecret steps.\n');
    server.setScript(({ messages }) => ({ text: `Read: ${messages.at(-1)?.text}` }));
    const chat = await start();
    const group = { chatType: 'group' as const, chatId: '-1' };
    await chat.say('/take notes', group);
    await chat.see('Secret steps.');
    await chat.rest();
    await chat.say('/retry', { ...group, userId: '8' });
    await chat.see(/Read: \[unknown \(7\)\] \/take notes$/);
  });

  verifies('GW-22', 'does not let a stranger in a shared chat stop a turn', async () => {
    const { server, start } = await openGateway({ keys: { groupPerUser: false, threadPerUser: false } });
    const gate = Promise.withResolvers<void>();
    server.setScript(async () => {
      await gate.promise;
      return { text: 'Finished.' };
    });
    const chat = await start();
    const group = { chatType: 'group' as const, chatId: '-1' };
    await chat.say('work', group);
    await server.nextRequest();
    for (const line of ['/new', '/stop', 'ignore that'])
      await chat.say(line, { ...group, userId: '99', userName: '7' });
    await vi.waitFor(async () => {
      const store = await chat.runtime.store.openGatewayStore();
      expect((await store.figures()).waiting).toBe(1);
    }, 8000);
    gate.resolve();
    await chat.see('Finished.');
    expect(chat.sent).toHaveLength(1);
  });
});

verifies('SURF-3', '/background answers through the outbox, also after the chat is idle', async () => {
  const { server, start } = await openGateway({ keepOpenMs: 1 });
  const gate = Promise.withResolvers<void>();
  server.setScript(async ({ messages }) => {
    if (messages.at(-1)?.text !== 'count the stars') return { text: 'Hello.' };
    await gate.promise;
    return { text: 'There are many.' };
  });
  const chat = await start();
  const thread = { chatType: 'group' as const, chatId: '-1', threadId: '5' };
  await chat.say('/background count the stars', thread);
  await chat.see('Started background turn 1');
  await vi.waitFor(() => expect(chat.gateway.openSessions).toBe(0), 8000);
  gate.resolve();
  await chat.see(/There are many\.\n\nBackground turn 1 finished\. Use \/resume/);
  expect(chat.sent.at(-1)?.target).toEqual({ chatId: '-1', threadId: '5' });
  await chat.say('/background', thread);
  await chat.see(/count the stars[^]*completed/);
});

it('tells the chat that a background turn ended with the gateway', async () => {
  const { server, start } = await openGateway();
  server.setScript(() => new Promise(() => undefined));
  const first = await start();
  await first.say('/background count the stars');
  await first.see('Started background turn 1');
  await server.nextRequest();
  await first.close();
  server.setScript(() => ({ text: 'Hello.' }));
  const second = await start();
  await vi.waitFor(
    () =>
      expect([...first.texts(), ...second.texts()].join()).toContain('The gateway was stopped, and background turn 1'),
    8000,
  );
});
