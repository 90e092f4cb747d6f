import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { useServer } from '../support/postgres/store-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { waitUntil } from '../support/wait-until.ts';

verifies(
  ['GW-22', 'GW-23', 'GW-28'],
  'lets in who was paired, in direct messages and groups, and nobody by name',
  async () => {
    await using telegram = await createTelegramServer();
    await using provider = await createProviderServer({
      script: ({ messages }) => ({ text: `Read: ${messages.at(-1)?.text}` }),
    });
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url}, group_allowed_chats: [], user_allowed_commands: [status] } } }
telegram: { mention_patterns: ['^hermes\\b'] }
`,
      // A list of somebody else must not prevent the start.
      'platforms/pairing/discord-approved.json': '{"broken": ',
      'sessions/sessions.json': '[]',
    });
    const ada = telegram.addUser({ firstName: 'Ada', username: 'ada' });
    const bob = telegram.addUser({ firstName: 'Bob', username: 'bob' });
    const twin = telegram.addUser({ firstName: String(ada.id), username: 'ada2' });
    const group = telegram.addGroup({ title: String(ada.id) });
    const gateway = startHermes(['gateway', 'run'], { home, env: { TELEGRAM_BOT_TOKEN: telegram.token } });
    const texts = (chatId: number) => telegram.messages(chatId).map(({ text }) => text);
    const pair = async (user: typeof ada) => {
      telegram.send({ from: user, text: 'hello' });
      const code = await waitUntil(() => {
        const [, found] = /pairing code is (\w{8})/.exec(texts(user.id).join()) ?? [];
        if (found === undefined) throw new Error('no code yet');
        return found;
      });
      return runHermes(['pairing', 'approve', 'telegram', code], { home });
    };
    for (const user of [ada, bob]) expect((await pair(user)).exitCode).toBe(0);
    telegram.send({ from: ada, text: 'one' });
    telegram.send({ from: bob, text: '/model' });
    await waitUntil(() => expect(texts(ada.id).at(-1)).toBe('Read: one'));
    await waitUntil(() => expect(texts(bob.id).at(-1)).toBe('Only an admin may use /model here.'));
    // The name of this user is the id of Ada.
    telegram.send({ from: twin, text: 'two' });
    telegram.send({ from: twin, chatId: group.id, text: `@${telegram.bot.username} three` });
    telegram.send({ from: twin, chatId: group.id, text: 'hermes, four' });
    telegram.send({ from: ada, chatId: group.id, text: 'to nobody' });
    telegram.send({ from: ada, chatId: group.id, text: 'hermes, five' });
    await waitUntil(() => expect(texts(group.id)).toEqual(['Read: hermes, five']));
    await waitUntil(() => expect(texts(twin.id).join()).toContain('pairing code'));
    expect(provider.requests.map(({ lastUserText }) => lastUserText).join()).not.toMatch(/two|three|four|to nobody/);
    const list = await runHermes(['pairing', 'list'], { home });
    expect(list.stdout).toContain(`telegram  ${ada.id}  Ada`);
    expect(list.stderr).toContain('discord-approved.json is not a JSON object');
    gateway.kill('SIGTERM');
    const { stderr, exitCode } = await gateway.exited;
    expect(exitCode).toBe(0);
    expect(stderr).toContain('sessions.json is not a JSON object');
  },
);

describe('with PostgreSQL', () => {
  const { emptyDatabase } = useServer();

  verifies('GW-28', 'pairs people in the database, without files in the home directory', async () => {
    await using telegram = await createTelegramServer();
    await using provider = await createProviderServer({ script: () => ({ text: 'Welcome.' }) });
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
`,
    });
    const env = { HERMES_DATABASE_URL: await emptyDatabase(), TELEGRAM_BOT_TOKEN: telegram.token };
    const ada = telegram.addUser({ firstName: 'Ada' });
    const texts = () => telegram.messages(ada.id).map(({ text }) => text);
    const gateway = startHermes(['gateway', 'run'], { home, env });
    telegram.send({ from: ada, text: 'hello' });
    const code = await waitUntil(() => {
      const [, found] = /pairing code is (\w{8})/.exec(texts().join()) ?? [];
      if (found === undefined) throw new Error('no code yet');
      return found;
    });
    const waiting = await runHermes(['pairing', 'list'], { home, env });
    expect(waiting.stdout).toContain(`telegram  ${ada.id}  Ada  (the user has the code)`);
    expect((await runHermes(['pairing', 'approve', 'telegram', code], { home, env })).exitCode).toBe(0);
    telegram.send({ from: ada, text: 'hello again' });
    await waitUntil(() => expect(texts().at(-1)).toBe('Welcome.'));
    expect(existsSync(join(home.path, 'platforms'))).toBe(false);
    gateway.kill('SIGTERM');
    expect((await gateway.exited).exitCode).toBe(0);
  });
});
