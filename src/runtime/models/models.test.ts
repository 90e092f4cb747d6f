import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { loadSettings, type Settings } from '../../config/index.ts';
import { resolveRoutes } from '../../providers/index.ts';
import { createProviderServer, createTemporaryHome, type TemporaryHome } from '../../testing/index.ts';
import { parseCommandArguments } from './commands.ts';
import { checkModel, selectModel, explainFailure, saveModel, settingsWith, testCall } from './index.ts';
import { parseModelName } from './parse-model-name.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await createTemporaryHome();
});
afterEach(() => home.remove());
const load = async (config = '', env: Record<string, string> = {}): Promise<Settings> => {
  await writeFile(join(home.path, 'config.yaml'), config);
  return loadSettings({ home: home.path, env });
};

describe('readModelName', () => {
  const LAB = 'custom_providers: [{ name: lab, base_url: "http://127.0.0.1:9/v1" }]\n';
  it.each<[string, string, { provider: string; model?: string }]>([
    ['claude-opus-5', 'anthropic', { provider: 'anthropic', model: 'claude-opus-5' }],
    [
      'openrouter/anthropic/claude-sonnet-5',
      'anthropic',
      { provider: 'openrouter', model: 'anthropic/claude-sonnet-5' },
    ],
    // If the model names of the current provider contain such a prefix, the prefix does not name a provider.
    ['anthropic/claude-sonnet-5', 'openrouter', { provider: 'openrouter', model: 'anthropic/claude-sonnet-5' }],
    ['anthropic/claude-sonnet-5', 'openai', { provider: 'anthropic', model: 'claude-sonnet-5' }],
    ['maker/model', 'openai', { provider: 'openai', model: 'maker/model' }],
    ['lab/deep/model', 'openai', { provider: 'lab', model: 'deep/model' }],
    ['lab deep/model', 'openai', { provider: 'lab', model: 'deep/model' }],
    ['claude glm-5', 'openai', { provider: 'claude', model: 'glm-5' }],
    ['deepseek', 'openai', { provider: 'deepseek', model: undefined }],
    ['some-model', 'demo', { provider: 'xai', model: 'some-model' }],
  ])('%s at %s', async (typed, current, expected) => {
    const settings = await load(`${LAB}model: { provider: xai }\n`);
    expect(await parseModelName(settings, parseCommandArguments(typed).words, current)).toEqual(expected);
  });

  it('accepts options anywhere and rejects unknown ones', () => {
    expect(parseCommandArguments(' a --global  b --force ')).toEqual({ words: ['a', 'b'], save: true, force: true });
    expect(() => parseCommandArguments('a --sav')).toThrow(/Unknown option --sav/);
    const word = fc.stringMatching(/^[^\s-]\S*$/);
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.constantFrom('--save', '--global', '--force'))), (words) => {
        const read = parseCommandArguments(words.join('  '));
        expect(read.words).toEqual(words.filter((one) => !one.startsWith('--')));
        expect(read.force).toBe(words.includes('--force'));
      }),
    );
  });
});

describe('a selected model', () => {
  verifies('PROV-11', 'behaves the same before and after it is saved', async () => {
    const OWN = 'http://127.0.0.1:9/v1';
    const wishes = [
      { provider: 'anthropic', model: 'claude-sonnet-5', key: { variable: 'ANTHROPIC_API_KEY', secret: 'typed' } },
      { provider: 'custom', model: 'm', baseUrl: OWN, key: { variable: 'CUSTOM_API_KEY', secret: 'typed' } },
      { provider: 'custom', model: 'm', baseUrl: `${OWN}/messages`, keyVariable: 'LAB_KEY' },
      { provider: 'glm', model: 'glm-5' },
      { provider: 'zai', model: 'other' },
      { provider: 'custom', model: 'n', baseUrl: 'https://elsewhere.example/v1' },
    ];
    for (const wish of wishes) {
      const config =
        'model:\n  provider: glm\n  default: old\n  base_url: https://proxy.example/v4\n  api_key: own-key\n  context_length: 9\n';
      const settings = await load(config, { LAB_KEY: 'from-lab' });
      const chosen = selectModel(settings, wish);
      const trial = resolveRoutes(settingsWith(settings, chosen));
      await saveModel(settings, chosen);
      const saved = await loadSettings({ home: home.path, env: { LAB_KEY: 'from-lab' } });
      const [before, after] = await Promise.all([trial?.routes[0]?.open(), resolveRoutes(saved)?.routes[0]?.open()]);
      const partsOf = (route: typeof before) => [
        route?.provider,
        route?.model,
        route?.baseUrl,
        route?.apiMode,
        route?.contextLength,
      ];
      expect(partsOf(after)).toEqual(partsOf(before));
      expect(saved.model.apiKey ?? null).toEqual(settingsWith(settings, chosen).model.apiKey ?? null);
      expect(await readFile(join(home.path, 'config.yaml'), 'utf8')).not.toContain('typed');
    }
  });

  it('with another address does not use the saved key', async () => {
    const settings = await load(
      'model: { provider: custom, default: m, base_url: "http://127.0.0.1:9/v1", api_key: own }\n',
    );
    expect(selectModel(settings, { provider: 'custom', model: 'n' }).choice).toMatchObject({ apiKey: 'own' });
    const elsewhere = { provider: 'custom', model: 'n', baseUrl: 'https://elsewhere.example/v1' };
    expect(selectModel(settings, elsewhere).choice.apiKey).toBeUndefined();
  });

  it('with the address from the environment no longer needs the variable once saved', async () => {
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1/chat/completions' };
    const settings = await load('', env);
    await saveModel(settings, selectModel(settings, { provider: 'custom', model: 'm' }));
    const saved = await loadSettings({ home: home.path, env: {} });
    expect(await resolveRoutes(saved)?.routes[0]?.open()).toMatchObject({ baseUrl: 'http://127.0.0.1:9/v1' });
    // The base URL comes from the environment variable, so it is not saved.
    const without = await load('model: { provider: custom, default: m, api_key: own }\n', env);
    const { choice } = selectModel(without, { provider: 'custom', model: 'n' });
    expect([choice.baseUrl, choice.apiKey]).toEqual([undefined, 'own']);
  });

  it('is checked against the catalogue and the endpoint, if they have a list', async () => {
    await using server = await createProviderServer({ models: ['tiny:latest', 'big'] });
    const settings = await load('model_overrides: { my-claude: { context_length: 9 } }\n', { ANTHROPIC_API_KEY: 'k' });
    const check = (provider: string, model: string, baseUrl?: string, options = {}) =>
      checkModel(settings, selectModel(settings, { provider, model, baseUrl }), options);
    const base = `${server.url}/v1`;
    expect(await check('anthropic', 'claude-sonnet-5')).toEqual([]);
    expect(await check('anthropic', 'my-claude')).toEqual([]);
    await expect(check('anthropic', 'claude-soonet-5', undefined, { offline: true })).rejects.toThrow(
      /claude-soonet-5/,
    );
    expect(await check('anthropic', 'x', undefined, { offline: true, force: true })).toHaveLength(1);
    expect(await check('custom', 'tiny', base)).toEqual([]);
    expect(await check('custom', 'bag', base)).toEqual([expect.stringContaining('Did you mean big')]);
    expect(await check('custom', 'bag', base, { offline: true })).toEqual([]);
    expect(await check('custom', 'm', 'http://127.0.0.1:9/v1')).toEqual([
      'Could not check whether Custom endpoint has a model "m": The connection to 127.0.0.1:9 failed: connection refused.',
    ]);
    // The names of deployments in a cloud are chosen by its users.
    expect(await check('azure', 'my-deployment', undefined, { offline: true })).toHaveLength(1);
  });

  verifies('PROV-4', 'keeps its headers only at the same address, also in the file', async () => {
    const settings = await load(
      'model: { provider: openai, default: m, headers: { x-team: blue }, query: { a: b }, extra_body: { c: d } }\n',
    );
    expect(selectModel(settings, { provider: 'openai', model: 'n' }).choice.request?.headers).toEqual({
      'x-team': 'blue',
    });
    const other = selectModel(settings, { provider: 'anthropic', model: 'n' });
    expect(other.choice.request).toBeUndefined();
    await saveModel(settings, other);
    const { model } = await loadSettings({ home: home.path, env: {} });
    expect([model.provider, model.request]).toEqual(['anthropic', undefined]);
  });
});

describe('a test call', () => {
  it('returns the answer with its price, and says what to change if it fails', async () => {
    await using server = await createProviderServer();
    const settings = await load(
      `model: { provider: custom, default: m, base_url: "${server.url}/v1" }\nmodel_overrides: { m: { price: { input: 1000, output: 2000 } } }\n`,
    );
    const [source] = resolveRoutes(settings)?.routes ?? [];
    if (source === undefined) throw new Error('there is no route');
    const signal = new AbortController().signal;
    server.setScript([{ text: ' ready ', usage: { input: 10, output: 1 } }]);
    expect(await testCall(source, signal)).toMatchObject({ text: 'ready', cost: { usd: 0.012, status: 'estimated' } });
    for (const [status, fixable] of [
      [401, 'key'],
      [402, 'key'],
      [404, 'model'],
    ] as const) {
      server.setScript(() => ({ fault: { type: 'status', status, message: 'no such model or key' } }));
      const thrown: unknown = await testCall(source, signal).catch((error: unknown) => error);
      expect(await explainFailure(thrown, settings)).toMatchObject({ fixable, hint: expect.any(String) });
    }
    await server.close();
    const thrown: unknown = await testCall(source, signal).catch((error: unknown) => error);
    expect(await explainFailure(thrown, settings)).toMatchObject({ fixable: 'address' });
    await expect(explainFailure(new TypeError('ours'), settings)).rejects.toThrow('ours');
  });
});

describe('saving a model', () => {
  verifies('BOUND-4', 'decides what stays in the file again if another process saved a model meanwhile', async () => {
    const before = await load('model: { provider: openrouter, default: a/first }\n');
    const chosen = selectModel(before, { provider: 'openrouter', model: 'a/second' });
    await load('model: { provider: custom, default: own, base_url: "http://127.0.0.1:9/v1", context_length: 5000 }\n');
    await saveModel(before, chosen);
    const { model } = await loadSettings({ home: home.path, env: {} });
    expect(model).toMatchObject({ provider: 'openrouter', model: 'a/second' });
    expect([model.baseUrl, model.contextLength]).toEqual([undefined, undefined]);
  });
});
