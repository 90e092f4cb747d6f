import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTemporaryHome, type TemporaryHome } from '../../../testing/index.ts';
import type { SetupOptions } from '../chat-options.ts';
import { createExitPath } from '../exit-path.ts';
import { setup } from './setup.ts';

describe('set-up', () => {
  let home: TemporaryHome;
  beforeEach(async () => {
    home = await createTemporaryHome();
  });
  afterEach(() => home.remove());
  const run = (options: SetupOptions) => {
    const stream = () => new PassThrough();
    const env = { HERMES_HOME: home.path };
    const io = {
      stdin: stream(),
      inputKind: 'none' as const,
      stdout: stream(),
      stderr: stream(),
      env,
      workingDirectory: '/',
    };
    // Offline, because the URLs are made up.
    const { signal } = new AbortController();
    const exits = createExitPath(() => undefined);
    onTestFinished(exits.stop);
    return setup({ offline: true, ...options }, io, signal, {
      io,
      exits,
      lines: undefined,
      usageFile: undefined,
      uncaughtErrors: {},
    });
  };

  it('uses the options without a terminal, and keeps other settings', async () => {
    await home.write('config.yaml', '# mine\nmodel:\n  default: old\n  context_length: 5\nother: 1\n');
    expect(await run({ provider: 'custom', model: 'm', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'LAB_KEY' })).toBe(
      0,
    );
    expect(await home.read('config.yaml')).toBe(
      '# mine\nmodel:\n  default: m\n  provider: custom\n  base_url: http://127.0.0.1:9/v1\n  api_key: ${LAB_KEY}\nother: 1\n',
    );
  });

  it('writes no base URL and no key for a known provider', async () => {
    await run({ provider: 'OpenRouter', apiKeyEnv: 'OPENROUTER_API_KEY' });
    expect(await home.read('config.yaml')).toBe(
      'model:\n  provider: openrouter\n  default: anthropic/claude-sonnet-5\n',
    );
  });

  it('accepts custom endpoints from the configuration', async () => {
    const lab = 'custom_providers:\n  - name: lab\n    base_url: http://127.0.0.1:9/v1\n    model: lab-model\n';
    await home.write('config.yaml', lab);
    expect(await run({ provider: 'Lab' })).toBe(0);
    expect(await home.read('config.yaml')).toBe(`${lab}model:\n  provider: lab\n  default: lab-model\n`);
  });

  it('reports what is missing and writes nothing', async () => {
    await expect(run({})).rejects.toThrow(/needs a terminal/);
    await expect(run({ provider: 'nope' })).rejects.toThrow(/"nope" is not a known provider/);
    await expect(run({ provider: 'ollama' })).rejects.toThrow(/Ollama has no default model/);
    await expect(run({ provider: 'custom', model: 'm' })).rejects.toThrow(/base URL/);
    await expect(run({ provider: 'openai', apiKeyEnv: 'sk-not-a-name' })).rejects.toThrow(
      /name of an environment variable/,
    );
    await expect(stat(join(home.path, 'config.yaml'))).rejects.toThrow();
    await home.write('config.yaml', 'model: [');
    await expect(run({ provider: 'openai' })).rejects.toThrow(/config\.yaml, line/);
  });

  it('normalises a base URL if it is unambiguous', async () => {
    const saved = async (baseUrl: string) => {
      await run({ provider: 'custom', model: 'm', baseUrl });
      return /base_url: (.*)/.exec(await home.read('config.yaml'))?.[1];
    };
    expect(await saved('localhost:1234/v1')).toBe('http://localhost:1234/v1');
    expect(await saved(' 192.168.0.5:8000/v1/ ')).toBe('http://192.168.0.5:8000/v1');
    expect(await saved('https://h/v1/chat/completions')).toBe('https://h/v1');
    await expect(saved('api.example.com/v1')).rejects.toThrow(/includes its scheme: https:\/\/api\.example\.com\/v1/);
    await expect(saved('me:hunter2@localhost:1/v1')).rejects.not.toThrow(/hunter2/);
    await expect(saved('http://h/ v1')).rejects.toThrow(/without spaces/);
    expect(await home.read('config.yaml')).toContain('base_url: https://h/v1\n');
  });

  it('saves a model command without a base URL', async () => {
    await run({ provider: 'copilot-acp' });
    expect(await home.read('config.yaml')).toBe('model:\n  provider: copilot-acp\n  default: copilot-acp\n');
  });
});
