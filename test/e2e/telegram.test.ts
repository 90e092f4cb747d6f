import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';

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
