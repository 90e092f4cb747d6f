import { symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  type Reply,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { PNG } from '../support/sample-files.ts';

verifies('GW-25', 'reads a photo and uploads only the file that the turn made', async () => {
  await using telegram = await createTelegramServer();
  await using provider = await createProviderServer();
  await using home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
model_overrides: { test-model: { supports_vision: true } }
display: { tool_progress: 'off' }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
`,
    '.env': `TELEGRAM_BOT_TOKEN=${telegram.token}\n`,
  });
  await symlink('/etc/passwd', join(home.workspace, 'link.txt'));
  await writeFile(join(home.workspace, 'earlier.txt'), 'old');
  await utimes(join(home.workspace, 'earlier.txt'), 1, 1);
  const refused = ['/etc/passwd', 'link.txt', '~/.hermes/.env', '../../../../../../../../etc/passwd', 'earlier.txt'];
  provider.setScript(({ messages, toolNames }): Reply => {
    if (toolNames.length === 0) return { text: 'Title' };
    if (messages.at(-1)?.role !== 'tool') {
      const [, saved] = /saved as (\S+)\]/.exec(messages.at(-1)?.text ?? '') ?? [];
      return { toolCalls: [{ name: 'terminal', arguments: { command: `wc -c < ${saved}; printf "a,b" > made.csv` } }] };
    }
    return { text: [...refused, 'made.csv'].map((path) => `MEDIA:${path}`).join('\n') };
  });
  const ada = telegram.addUser({ firstName: 'Ada' });
  const gateway = startHermes(['gateway', 'run'], { home, env: { TELEGRAM_ALLOWED_USERS: String(ada.id) } });
  telegram.send({ from: ada, caption: 'look', photo: { bytes: PNG } });
  const [text, file] = await telegram.waitForMessages(2);
  for (const path of refused) expect(text?.text).toContain(`Not sent: ${path}`);
  expect(file).toMatchObject({ chatId: ada.id, file: { kind: 'document', name: 'made.csv' } });
  expect(file?.file?.bytes.toString()).toBe('a,b');
  const [first] = provider.requests;
  expect(first?.rawBody).toContain(`data:image/png;base64,${PNG.toString('base64')}`);
  expect(first?.lastUserText).toMatch(/^look\n\[File "image", saved as .+\/cache\/images\/.+\.png\]/);
  // Commands can read the received file, also in the sandbox, which hides the home directory of Hermes.
  expect(provider.requests.flatMap(({ toolResults }) => toolResults)[0]?.content).toContain(String(PNG.length));
  gateway.kill('SIGTERM');
  const { exitCode, stderr } = await gateway.exited;
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^Commands run /m);
  const uploads = telegram.calls.filter(({ method }) => /^send(?:Document|Photo|Voice|Audio|Video)$/.test(method));
  expect(uploads).toHaveLength(1);
});
