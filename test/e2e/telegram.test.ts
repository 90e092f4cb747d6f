import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';

verifies(['GW-1', 'OBS-4'], 'answers a message on Telegram, and writes the token nowhere', async () => {
  await using telegram = await createTelegramServer();
  await using provider = await createProviderServer({ script: () => ({ text: 'Hello **Ada**.' }) });
  await using home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
`,
  });
  const ada = telegram.addUser({ firstName: 'Ada' });
  // The first poll fails, so that there is something to log.
  telegram.failNext('getUpdates', { type: 'cut' });
  telegram.send({ from: ada, text: 'hi' });
  const gateway = startHermes(['gateway', 'run'], {
    home,
    env: { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_ALLOWED_USERS: String(ada.id) },
  });
  const [answer] = await telegram.waitForMessages(1);
  expect(answer).toMatchObject({
    chatId: ada.id,
    text: 'Hello Ada.',
    entities: [{ type: 'bold', offset: 6, length: 3 }],
  });
  gateway.kill('SIGTERM');
  const { exitCode, stdout, stderr } = await gateway.exited;
  expect(exitCode).toBe(0);
  expect(stdout + stderr).not.toContain(telegram.token);
  const files = await readdir(home.path, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    const content = await readFile(join(file.parentPath, file.name), 'latin1');
    expect(content.includes(telegram.token), file.name).toBe(false);
  }
});

verifies(['GW-1', 'GW-7'], 'answers messages that Telegram sends to its webhook, each once', async () => {
  await using telegram = await createTelegramServer();
  await using provider = await createProviderServer({
    script: ({ messages }) => ({ text: `Read ${messages.length}.` }),
  });
  await using home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
`,
  });
  const ada = telegram.addUser({ firstName: 'Ada' });
  const port = await freePort();
  telegram.proxyWebhook(`http://127.0.0.1:${port}`);
  telegram.setDelivery({ copies: 3, lostAcknowledgements: 2 });
  telegram.send({ from: ada, text: 'hi' });
  const gateway = startHermes(['gateway', 'run'], {
    home,
    env: {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_ALLOWED_USERS: String(ada.id),
      TELEGRAM_WEBHOOK_URL: 'https://bot.example/telegram',
      TELEGRAM_WEBHOOK_PORT: String(port),
      TELEGRAM_WEBHOOK_SECRET: 'the-webhook-secret',
    },
  });
  await telegram.waitForMessages(1);
  telegram.send({ from: ada, text: 'and now?' });
  const answers = await telegram.waitForMessages(2);
  expect(answers.map(({ text }) => text)).toEqual(['Read 1.', 'Read 3.']);
  gateway.kill('SIGTERM');
  const { exitCode, stderr } = await gateway.exited;
  expect([exitCode, stderr.includes('the-webhook-secret')]).toEqual([0, false]);
});

verifies(
  'GW-6',
  'hermes send delivers through a running gateway, and by itself without one',
  fullDoseOnly,
  async () => {
    await using telegram = await createTelegramServer();
    await using provider = await createProviderServer({ script: () => ({ text: 'Hello.' }) });
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
`,
    });
    const ada = telegram.addUser({ firstName: 'Ada' });
    const env = {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_ALLOWED_USERS: String(ada.id),
      TELEGRAM_HOME_CHANNEL: String(ada.id),
    };
    const send = (...args: string[]) => runHermes(['send', ...args], { home, env });
    telegram.send({ from: ada, text: 'hi' });
    const gateway = startHermes(['gateway', 'run'], { home, env });
    await telegram.waitForMessages(1);
    const running = await send('the', '*first*');
    expect([running.exitCode, running.stdout]).toEqual([0, `Delivered to Ada (telegram:${ada.id}).\n`]);
    gateway.kill('SIGTERM');
    await gateway.exited;
    const alone = await send('--to', 'telegram:#ada', '--subject', 'News', 'the second');
    expect([alone.exitCode, alone.stderr]).toEqual([0, '']);
    expect(telegram.messages(ada.id).map(({ text }) => text)).toEqual(['Hello.', 'the first', 'News\n\nthe second']);
    const listed = await send('--list');
    expect(listed.stdout).toContain(`telegram:${ada.id}  Ada (dm)`);
    telegram.block(ada);
    const blocked = await send('--json', 'the third');
    expect([blocked.exitCode, JSON.parse(blocked.stdout)]).toMatchObject([1, { outcome: 'failed' }]);
    expect((await send('--to', 'telegram:#nobody', 'x')).stderr).toContain('No chat on telegram is called "#nobody"');
  },
);

verifies('SURF-4', 'the gateway runs BOOT.md at its start, and hooks at events of chats', fullDoseOnly, async () => {
  await using telegram = await createTelegramServer();
  await using provider = await createProviderServer({
    script({ messages }) {
      const text = messages.at(-1)?.text ?? '';
      if (text.includes('Say good morning')) return { text: 'Good morning.' };
      return messages.at(-1)?.role === 'tool'
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'todo', arguments: { todos: [] } }] };
    },
  });
  await using home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
display: { tool_progress: off }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
`,
    'BOOT.md': 'Say good morning.',
    'hooks/all/HOOK.yaml':
      'events: ["gateway:startup", "session:start", "session:reset", "agent:start", "agent:step", "agent:end", "command:*"]\ncommand: cat >> seen.txt\n',
  });
  const ada = telegram.addUser({ firstName: 'Ada' });
  telegram.send({ from: ada, text: 'work' });
  const gateway = startHermes(['gateway', 'run'], {
    home,
    env: {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_ALLOWED_USERS: String(ada.id),
      TELEGRAM_HOME_CHANNEL: String(ada.id),
    },
  });
  const texts = (await telegram.waitForMessages(2)).map(({ text }) => text);
  expect(texts.sort()).toEqual(['Done.', 'Good morning.']);
  telegram.send({ from: ada, text: '/new' });
  await telegram.waitForMessages(3);
  gateway.kill('SIGTERM');
  expect((await gateway.exited).exitCode).toBe(0);
  const lines = (await readFile(join(home.path, 'hooks/all/seen.txt'), 'utf8')).trim().split('\n');
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const of = (name: string) => events.filter((event) => event['hook_event_name'] === name);
  const who = { platform: 'telegram', user_id: String(ada.id) };
  expect(of('gateway:startup')).toMatchObject([{ platforms: ['telegram'] }]);
  expect(of('session:start')[0]).toMatchObject({ ...who, session_key: `agent:main:telegram:dm:${ada.id}` });
  expect(of('agent:start')).toMatchObject([{ ...who, message: 'work' }]);
  expect(of('agent:step')[0]).toMatchObject({ iteration: 1, tool_names: ['todo'] });
  expect(of('agent:end')).toMatchObject([{ ...who, message: 'work', response: 'Done.' }]);
  expect(of('command:new')).toMatchObject([{ ...who, command: 'new', args: '' }]);
  expect(of('session:reset')).toHaveLength(1);
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
