import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProviderServer } from '../../src/testing/index.ts';
import { sandboxSkipReason } from '../../src/environments/skip-tests.fixture.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { declineSandbox } from '../support/answer-sandbox.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const hermes = (args: string[], env: Record<string, string> = {}) => runHermes(args, { home: cli.home, env });
const openTerminal = (...args: string[]) => startTerminal(cli.home, args);
const SECRET = 'sk-typed-secret-of-some-length-WXYZ';

describe('hermes model set and show', () => {
  verifies('PROV-11', 'saves provider and model for scripts, and keeps the rest of the file unchanged', async () => {
    await cli.home.write('config.yaml', '# mine\nmodel: short # the old one\nagent:\n  max_turns: 7 # few\n');
    const saved = await hermes(['model', 'set', 'anthropic', 'claude-sonnet-5'], { ANTHROPIC_API_KEY: SECRET });
    expect(saved).toMatchObject({ exitCode: 0, stderr: '' });
    expect(saved.stdout).toMatch(/^Saved Anthropic with claude-sonnet-5 in .*config\.yaml\.\n$/);
    expect(await cli.home.read('config.yaml')).toBe(
      '# mine\nmodel: # the old one\n  default: claude-sonnet-5\n  provider: anthropic\nagent:\n  max_turns: 7 # few\n',
    );
    const shown = await hermes(['model', 'show', '--json'], { ANTHROPIC_API_KEY: SECRET });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      provider: 'anthropic',
      model: 'claude-sonnet-5',
      origin: 'config',
      api_mode: 'anthropic_messages',
      facts: { context_length: expect.any(Number), price: { input: expect.any(Number) } },
      key: { ending: 'WXYZ' },
    });
    expect(shown.stdout).not.toContain(SECRET);
    const text = await hermes(['model', 'show'], { ANTHROPIC_API_KEY: SECRET });
    expect(text.stdout).toMatch(/claude-sonnet-5, at https:\/\/api\.anthropic\.com[^]*context, \$/);
  });

  verifies('PROV-11', 'another model at a saved endpoint keeps its URL, key and mode, but not its window', async () => {
    const endpoint = `base_url: ${cli.server.url}/v1\n  api_key: test-key\n  api_mode: chat_completions\n`;
    const before = `model:\n  provider: custom\n  default: test-model\n  ${endpoint}`;
    await cli.home.write('config.yaml', `${before}  context_length: 4096\n`);
    const set = await hermes(['model', 'set', 'custom', 'tset-model']);
    expect(set).toMatchObject({ exitCode: 0 });
    expect(set.stderr).toMatch(/does not list a model "tset-model"\. Did you mean test-model\?/);
    expect(await cli.home.read('config.yaml')).toBe(before.replace('test-model', 'tset-model'));
    await hermes(['model', 'set', 'ollama', 'qwen3', '--offline']);
    expect(await cli.home.read('config.yaml')).toBe('model:\n  provider: ollama\n  default: qwen3\n');
  });

  it('suggests similar names, and changes nothing', async () => {
    const bad: [string[], RegExp][] = [
      [['opnrouter', 'x'], /"opnrouter" is not a known provider\.\n +Did you mean openrouter/],
      [
        ['anthropic', 'claude-sonet-5', '--offline'],
        /Anthropic has no known model "claude-sonet-5".*\n +Did you mean claude-sonnet-5/,
      ],
      [['ollama'], /Ollama has no default model/],
      [['custom', 'm'], /The provider "custom" requires a base URL/],
      [['custom', 'm', '--base-url', 'api.example.com/v1'], /includes its scheme: https:\/\/api\.example\.com\/v1/],
      [['custom', 'm', '--base-url', 'http://me:hunter2@h/v1'], /without a user name or password/],
      [['custom', 'two words', '--base-url', 'http://h/v1'], /"two words" contains spaces/],
      [
        ['custom', 'm', '--base-url', 'http://h/v1', '--api-key-env', SECRET],
        /expects the name of an environment variable/,
      ],
      [['custom', 'm', '--base-url', 'http://h/v1', '--api-mode', 'telepathy'], /telepathy/],
    ];
    for (const [args, words] of bad) {
      const { exitCode, stderr } = await hermes(['model', 'set', ...args]);
      expect([args, exitCode, words.test(stderr) ? '' : stderr]).toEqual([args, 2, '']);
      expect(stderr).not.toMatch(/hunter2|sk-typed/);
    }
    expect(existsSync(join(cli.home.path, 'config.yaml'))).toBe(false);
    expect(await hermes(['model', 'set', 'anthropic', 'claude-next', '--offline', '--force'])).toMatchObject({
      exitCode: 0,
    });
    expect(await hermes(['model'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('hermes model set') });
  });

  it('removes the path of a call from a URL, and derives the API mode from it', async () => {
    await hermes(['model', 'set', 'custom', 'test-model', '--base-url', `${cli.server.url}/v1/messages`]);
    expect(await cli.home.read('config.yaml')).toMatch(
      /base_url: http:\/\/[\d.:]+\/v1\n {2}api_mode: anthropic_messages/,
    );
    expect(await hermes(['-z', 'hi'])).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
    expect(cli.server.requests[0]?.path).toBe('/v1/messages');
  });

  it('warns about a server without models', async () => {
    await using empty = await createProviderServer({ models: [] });
    const { exitCode, stderr } = await hermes(['model', 'set', 'custom', 'm', '--base-url', `${empty.url}/v1`]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('lists no models: load or enable one')]);
  });
});

describe('hermes fallback', () => {
  const MINE = '# mine\nfallback_model: # the old form\n  provider: nous\n  model: f0\n';

  it('adds, lists, removes and clears, and keeps comments and the short form', async () => {
    await cli.configure(MINE);
    const start = await cli.home.read('config.yaml');
    const base = `${cli.server.url}/v1`;
    const added = await hermes(['fallback', 'add', 'custom', 'test-model', '--base-url', base]);
    expect(added).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is already the primary model') });
    expect(await hermes(['fallback', 'add', 'custom', 'second', '--base-url', base])).toMatchObject({ exitCode: 0 });
    await hermes(['fallback', 'add', 'ollama', 'third', '--offline']);
    const list = `fallback_providers:\n  - { provider: custom, model: second, base_url: "${base}" }\n`;
    expect(await cli.home.read('config.yaml')).toBe(`${start}${list}  - { provider: ollama, model: third }\n`);
    const { stdout } = await hermes(['fallback', 'list']);
    expect(stdout).toMatch(
      /^1\. nous\/f0 .*No login was found[^\n]*\n2\. custom\/second at [^\n]*\n3\. ollama\/third at [^\n]*\n$/,
    );
    const names = JSON.parse((await hermes(['fallback', 'list', '--json'])).stdout) as { model: string }[];
    expect(names.map(({ model }) => model)).toEqual(['f0', 'second', 'third']);
    expect(await hermes(['fallback', 'remove', 'ollama/third'])).toMatchObject({ exitCode: 0 });
    expect(await cli.home.read('config.yaml')).toBe(start + list);
    expect(await hermes(['fallback', 'remove', '7'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no fallback 7'),
    });
    await hermes(['fallback', 'remove', '1']);
    expect(await cli.home.read('config.yaml')).toBe(start.replace(MINE, '# mine\n') + list);
    expect((await hermes(['fallback', 'clear'])).stdout).toContain('There are no fallbacks');
    expect(await cli.home.read('config.yaml')).toBe(start.replace(MINE, '# mine\n'));
  });

  verifies(
    'CALL-6',
    'a primary without a key is reported in one line with a hint, and the fallback answers',
    async () => {
      const second = `{ provider: custom, model: test-model, base_url: "${cli.server.url}/v1" }`;
      await cli.home.write('config.yaml', `model:\n  provider: openrouter\n  default: m\nfallback_model: ${second}\n`);
      for (const args of [
        ['-q', 'hi'],
        ['-z', 'hi'],
      ]) {
        const { exitCode, stdout, stderr } = await hermes(args);
        expect([exitCode, stdout]).toEqual([0, 'ok\n']);
        expect(stderr.match(/No API key was found for OpenRouter/g)).toHaveLength(1);
        expect(stderr).toMatch(
          /openrouter\/m: No API key was found for OpenRouter\. Run `hermes setup`.*; switching to custom\/test-model/,
        );
      }
      expect((await hermes(['--quiet', '-z', 'hi'])).stderr).toBe('');
    },
  );
});

describe('selecting a model in a terminal', () => {
  const toCustom = async (chat: ReturnType<typeof openTerminal>, key: string) => {
    await chat.see('Which provider?');
    chat.type('custom');
    await chat.see('Custom endpoint');
    chat.type('\r');
    await chat.see('Base URL');
    chat.type(`${cli.server.url}/v1\r`);
    await chat.see('API key');
    chat.type(`${key}\r`);
    await chat.see('Which model?');
  };

  verifies(
    'PROV-11',
    'hermes model asks for provider, key and model, saves them, and does not show the key',
    async () => {
      await cli.home.write('config.yaml', '# mine\nmodel:\n  provider: deepseek # cheap\n  default: deepseek-chat\n');
      const chat = openTerminal('model');
      await toCustom(chat, SECRET);
      await chat.see('test-model');
      chat.type('\r');
      await chat.see('Saved Custom endpoint with test-model');
      expect(await chat.exited).toBe(0);
      // The provider in use is listed first.
      expect(chat.output()).toMatch(/Which provider\?[^○]*DeepSeek \(current: deepseek-chat\)/);
      expect(chat.output()).not.toContain(SECRET);
      expect(cli.server.requests).toHaveLength(0);
      expect(await cli.home.read('.env')).toBe(`CUSTOM_API_KEY=${SECRET}\n`);
      expect(await cli.home.read('config.yaml')).toBe(
        `# mine\nmodel:\n  provider: custom # cheap\n  default: test-model\n  base_url: ${cli.server.url}/v1\n` +
          '  api_key: ${CUSTOM_API_KEY}\n',
      );
    },
  );

  it('a key for a named endpoint does not replace the OpenAI key', fullDoseOnly, async () => {
    await cli.home.write(
      'config.yaml',
      `custom_providers:\n  - { name: laboratory, base_url: "${cli.server.url}/v1" }\n`,
    );
    await cli.home.write('.env', 'OPENAI_API_KEY=key-of-openai\n');
    const chat = openTerminal('model');
    await chat.see('Which provider?');
    chat.type('lab');
    await chat.see('laboratory');
    chat.type('\r');
    await chat.see('leave empty');
    chat.type(`${SECRET}\r`);
    await chat.see('Which model?');
    await chat.see('test-model');
    chat.type('\r');
    await chat.see('Saved laboratory with test-model');
    expect(await chat.exited).toBe(0);
    expect(await cli.home.read('.env')).toBe(`OPENAI_API_KEY=key-of-openai\nCUSTOM_API_KEY=${SECRET}\n`);
    expect(await cli.home.read('config.yaml')).toContain('api_key: ${CUSTOM_API_KEY}');
  });

  verifies('PROV-11', 'leaving with Esc or Ctrl-C changes nothing', async () => {
    for (const key of ['\u001b', '\u0003']) {
      const chat = openTerminal('model');
      await toCustom(chat, 'some-key');
      chat.type(key);
      await chat.see('nothing was changed.');
      expect(await chat.exited).toBe(1);
      expect(existsSync(join(cli.home.path, 'config.yaml')) || existsSync(join(cli.home.path, '.env'))).toBe(false);
    }
  });

  it('setup ends with a test call, and goes back if the key is rejected', async () => {
    cli.server.setScript((request) =>
      request.headers['authorization'] === 'Bearer right-key'
        ? { text: 'ready', usage: { input: 21, output: 2 } }
        : { fault: { type: 'status', status: 401, message: 'Incorrect API key: wrong-key' } },
    );
    const chat = openTerminal('setup');
    await toCustom(chat, 'wrong-key');
    await chat.see('test-model');
    chat.type('\r');
    await chat.see('What next?');
    await chat.see('Enter another API key');
    expect(existsSync(join(cli.home.path, 'config.yaml'))).toBe(false);
    chat.type('\r');
    await chat.see('leave empty');
    chat.type('right-key\r');
    await chat.see('The model responded');
    await chat.see('Cost: unknown (21 input tokens, 2 output tokens)');
    await chat.see('Saved Custom endpoint with test-model');
    await declineSandbox(chat);
    await chat.see('Start a chat now?');
    chat.type('n');
    await chat.see('`hermes` starts a chat');
    expect(await chat.exited).toBe(0);
    expect(await cli.home.read('.env')).toBe('CUSTOM_API_KEY=right-key\n');
    expect(chat.output()).not.toMatch(/(?:wrong|right)-key/);
  });

  it('setup explains an unknown model and a silent host', fullDoseOnly, async () => {
    cli.server.setScript((request) =>
      request.model === 'test-model'
        ? { text: 'ready' }
        : { fault: { type: 'status', status: 404, code: 'model_not_found', message: 'The model does not exist' } },
    );
    const chat = openTerminal('setup');
    await toCustom(chat, '');
    chat.type('tset-model');
    await chat.see('use "tset-model" anyway');
    chat.type('\r');
    await chat.see('Similar models: test-model');
    await chat.see('Choose another model');
    chat.type('\r');
    await chat.see('Which model?');
    await chat.see('test-model');
    chat.type('test\r');
    await declineSandbox(chat);
    await chat.see('Start a chat now?');
    // The model stays saved if the user leaves at this question.
    chat.type('\x03');
    expect(await chat.exited).toBe(0);
    expect(await cli.home.read('config.yaml')).toContain('test-model');
  });

  const missing = sandboxSkipReason();
  verifies(
    'APPR-7',
    `setup proposes the sandbox without network${missing}`,
    { ...fullDoseOnly, ...(missing === '' ? {} : { skip: true }) },
    async () => {
      cli.server.setScript(() => ({ text: 'ready' }));
      const chat = openTerminal('setup');
      await toCustom(chat, '');
      await chat.see('test-model');
      chat.type('\r');
      await chat.see('Where should commands run?');
      await chat.see('In a sandbox without network (recommended)');
      chat.type('\r');
      await chat.see('Start a chat now?');
      chat.type('n');
      expect(await chat.exited).toBe(0);
      expect(await cli.home.read('config.yaml')).toContain('terminal:\n  backend: sandbox\n  sandbox_network: false\n');
    },
  );

  it('setup continues with the first chat', fullDoseOnly, async () => {
    cli.server.setScript(() => ({ text: 'ready for work' }));
    const chat = openTerminal('setup');
    await toCustom(chat, '');
    await chat.see('test-model');
    chat.type('\r');
    await declineSandbox(chat);
    await chat.see('Start a chat now?');
    chat.type('\r');
    await chat.see('Ctrl-D exits');
    chat.type('hello\r');
    await chat.see('ready for work');
    chat.type('\x04');
    expect(await chat.exited).toBe(0);
  });
});
