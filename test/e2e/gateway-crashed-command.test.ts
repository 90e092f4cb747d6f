import { readFile } from 'node:fs/promises';
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
import { waitUntil } from '../support/wait-until.ts';

verifies('GW-2', 'does not repeat a command after a kill between its effect and its reply', fullDoseOnly, async () => {
  await using telegram = await createTelegramServer();
  await using provider = await createProviderServer({ script: () => ({ text: 'Hello.' }) });
  await using home = await createTemporaryHome();
  const log = join(home.path, 'effects');
  await home.write(
    'config.yaml',
    `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
terminal: { backend: local }
quick_commands:
  effect: { type: exec, command: 'echo ran >> ${log}; test -e ${home.path}/quick || sleep 5' }
`,
  );
  const ada = telegram.addUser({ firstName: 'Ada' });
  const env = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_ALLOWED_USERS: String(ada.id) };
  const first = startHermes(['gateway', 'run'], { home, env });
  telegram.send({ from: ada, text: '/effect' });
  await waitUntil(async () => expect(await readFile(log, 'utf8')).toBe('ran\n'));
  first.kill('SIGKILL');
  await first.exited;
  telegram.send({ from: ada, text: '/effect' });
  await home.write('quick', '');
  const second = startHermes(['gateway', 'run'], { home, env });
  const answers = await telegram.waitForMessages(2);
  expect(answers.map(({ text }) => text)).toEqual([
    expect.stringContaining('It may have run'),
    'The command printed nothing.',
  ]);
  expect(await readFile(log, 'utf8')).toBe('ran\nran\n');
  // The menu of the platform has the commands, with the names that it allows.
  expect(telegram.commands.map(({ command }) => command)).toEqual(
    expect.arrayContaining(['status', 'reload_mcp', 'effect']),
  );
  telegram.send({ from: ada, text: '/reload_mcp' });
  expect((await telegram.waitForMessages(3)).at(-1)?.text).toContain('No MCP servers are configured.');
  second.kill('SIGTERM');
  expect((await second.exited).exitCode).toBe(0);
});
