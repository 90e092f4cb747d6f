import { appendFile, cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProviderServer, createTemporaryHome, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { runHermes } from '../support/run-hermes.ts';
import { waitUntil } from '../support/wait-until.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/plugin-platform');

// The tests of the example import the built package by its name, as another program would.
await import(join(EXAMPLE, 'channel.test.js'));

describe('a platform of a plugin', () => {
  verifies('GW-22', 'answers whom the user has paired, with the settings of its own variables', async () => {
    await using provider = await createProviderServer({
      script: ({ messages }) => ({ text: `Read: ${messages.at(-1)?.text}` }),
    });
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
plugins: { enabled: [folder-chat] }
`,
    });
    await cp(EXAMPLE, join(home.path, 'plugins', 'folder-chat'), { recursive: true });
    const folder = join(home.path, 'chat');
    await mkdir(folder);
    let last = 0;
    const say = (text: string) =>
      appendFile(join(folder, 'inbox.jsonl'), `${JSON.stringify({ id: `m${(last += 1)}`, user: 'ada', text })}\n`);
    const answers = () => readFile(join(folder, 'outbox.jsonl'), 'utf8').catch(() => '');
    const gateway = startHermes(['gateway', 'run'], { home, env: { FOLDER_CHAT_PATH: folder } });
    await say('hello');
    const code = await waitUntil(async () => {
      const [, found] = /pairing code is `(\w{8})`/.exec(await answers()) ?? [];
      if (found === undefined) throw new Error('no code yet');
      return found;
    });
    expect((await runHermes(['pairing', 'approve', 'folder_chat', code], { home })).exitCode).toBe(0);
    await say('what is this?');
    await waitUntil(async () => expect(await answers()).toContain('Read: what is this?'));
    gateway.kill('SIGTERM');
    expect((await gateway.exited).exitCode).toBe(0);
  });

  it('is registered as its manifest says', async () => {
    await using home = await createTemporaryHome({ 'config.yaml': 'plugins: { enabled: [folder-chat] }\n' });
    await cp(EXAMPLE, join(home.path, 'plugins', 'folder-chat'), { recursive: true });
    const { stdout, exitCode } = await runHermes(['plugins', 'check'], { home });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('folder_chat')]);
  });
});
