import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  createDiscordServer,
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';

verifies(
  ['GW-1', 'GW-16', 'OBS-4'],
  'answers a direct message on Discord next to a bad Telegram token, and writes the token nowhere',
  fullDoseOnly,
  async () => {
    await using discord = await createDiscordServer();
    await using telegram = await createTelegramServer();
    await using provider = await createProviderServer({ script: () => ({ text: 'Hello **Ada** & @everyone.' }) });
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms:
  discord: { extra: { base_url: ${discord.url}/api } }
  telegram: { extra: { base_url: ${telegram.url} } }
`,
    });
    const ada = discord.addUser({ name: 'Ada' });
    telegram.revokeToken();
    // The first connection fails, so that there is something to log.
    discord.gateway.fail({ type: 'cut' });
    const gateway = startHermes(['gateway', 'run'], {
      home,
      env: {
        DISCORD_BOT_TOKEN: discord.token,
        DISCORD_ALLOWED_USERS: ada.id,
        TELEGRAM_BOT_TOKEN: telegram.token,
      },
    });
    while (!discord.gateway.isConnected) await new Promise(setImmediate);
    discord.send({ from: ada, text: 'hi' });
    const [answer] = await discord.waitForMessages(1);
    expect(answer).toMatchObject({
      channelId: ada.dmId,
      content: 'Hello **Ada** & @everyone.',
      text: 'Hello Ada & @everyone.',
      pings: [],
    });
    expect(discord.typing).toContain(ada.dmId);
    gateway.kill('SIGTERM');
    const { exitCode, stdout, stderr } = await gateway.exited;
    expect(exitCode).toBe(0);
    expect(stderr).toContain('telegram: fatal');
    expect(stdout + stderr).not.toContain(discord.token);
    const files = await readdir(home.path, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      const content = await readFile(join(file.parentPath, file.name), 'latin1');
      expect(content.includes(discord.token), file.name).toBe(false);
    }
  },
);
