import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { AuxiliarySettings, ModelChoice, Settings } from '../config/index.ts';
import type { AuxiliaryTask } from '../contracts/index.ts';
import { resolveAuxiliaryRoutes } from './auxiliary-routes.ts';
import { choosePrimary } from './choose-provider.ts';
import { resolveRoutes } from './index.ts';
import { settingsWith as plainSettings } from './settings.test-helper.ts';

const KEYS = {
  OPENROUTER_API_KEY: 'key-of-openrouter',
  OPENAI_API_KEY: 'key-of-openai',
  ANTHROPIC_API_KEY: 'key-of-anthropic',
  XAI_API_KEY: 'key-of-xai',
};
const LAB = { name: 'Lab', baseUrl: 'https://lab.example/v1', apiKey: 'lab-key', model: 'lab-model' };
const ELSEWHERE = { provider: 'anthropic', model: 'm', baseUrl: 'https://proxy.example', apiKey: 'proxy-key' };

const settingsWith = (changes: Partial<Settings>): Settings =>
  plainSettings({ customProviders: [LAB], variables: KEYS, ...changes });

type Entry = ModelChoice & { fallback?: AuxiliarySettings['fallbacks'] };
const task = ({ fallback = [], ...choice }: Entry): AuxiliarySettings => ({
  choice,
  fallbacks: fallback,
  timeoutSeconds: undefined,
  enabled: true,
});

/** Each route as `provider/model`. */
const chainOf = (settings: Settings, flags = {}, name: AuxiliaryTask = 'compression') =>
  resolveAuxiliaryRoutes(settings, choosePrimary(settings, flags), name).map(
    ({ provider, model }) => `${provider}/${model}`,
  );

type Case = {
  name: string;
  own?: Entry;
  model?: ModelChoice;
  more?: Partial<Settings>;
  flags?: { provider?: string; model?: string };
  chain: string[];
};

const ANTHROPIC = { provider: 'anthropic', model: 'claude-sonnet-5' };
const CHEAP = 'anthropic/claude-haiku-4-5';
const MAIN = 'anthropic/claude-sonnet-5';
const SPARE = { provider: 'xai', model: 'grok-4.6' };

const CASES: Case[] = [
  { name: 'no setting: the cheap model of the provider, then the chat', model: ANTHROPIC, chain: [CHEAP, MAIN] },
  { name: '`auto` in any case means no setting', own: { provider: 'Auto' }, model: ANTHROPIC, chain: [CHEAP, MAIN] },
  {
    name: '`auto` with a model: that model at the provider of the chat',
    own: { model: 'claude-opus-5' },
    model: ANTHROPIC,
    chain: ['anthropic/claude-opus-5', MAIN],
  },
  {
    name: '`auto` if the chat already uses the cheap model: tried once',
    model: { provider: 'anthropic', model: 'claude-haiku-4-5' },
    chain: [CHEAP],
  },
  { name: '`auto` at a custom address: no cheap model', model: ELSEWHERE, chain: ['anthropic/m'] },
  {
    name: '`auto` with the provider’s own address configured: the cheap model',
    model: { ...ANTHROPIC, baseUrl: 'https://api.anthropic.com/' },
    chain: [CHEAP, MAIN],
  },
  { name: '`auto` without a known cheap model: the chat', model: SPARE, chain: ['xai/grok-4.6'] },
  { name: '`auto` with a named endpoint as chat: the chat', model: { provider: 'lab' }, chain: ['Lab/lab-model'] },
  {
    name: '`auto` with a custom endpoint as chat: the chat',
    model: { provider: 'custom', model: 'm', baseUrl: 'http://127.0.0.1:1/v1' },
    chain: ['custom/m'],
  },
  { name: '`main`: the model of the chat', own: { provider: 'main' }, model: ANTHROPIC, chain: [MAIN] },
  {
    name: '`main` with the endpoint of the environment',
    own: { provider: 'main' },
    more: { variables: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', HERMES_INFERENCE_MODEL: 'env-model' } },
    chain: ['custom/env-model'],
  },
  {
    name: '`main` with flags: the explicit choice',
    own: { provider: 'main' },
    model: ANTHROPIC,
    flags: { provider: 'lab', model: 'asked' },
    chain: ['Lab/asked'],
  },
  {
    name: '`auto` with flags: the cheap model of the explicit provider',
    model: SPARE,
    flags: { provider: 'openai' },
    chain: ['openai/gpt-5.6-luna', 'openai/gpt-5.6-terra'],
  },
  {
    name: 'a provider and a model',
    own: { provider: 'openrouter', model: 'x/y' },
    model: ANTHROPIC,
    chain: ['openrouter/x/y', MAIN],
  },
  {
    name: 'a provider without a model: its cheap one',
    own: { provider: 'openai' },
    model: ANTHROPIC,
    chain: ['openai/gpt-5.6-luna', MAIN],
  },
  {
    name: 'a named endpoint',
    own: { provider: 'custom:lab', model: 'small' },
    model: ANTHROPIC,
    chain: ['Lab/small', MAIN],
  },
  {
    name: 'its own base URL',
    own: { model: 'm', baseUrl: 'http://127.0.0.1:5/v1' },
    model: ANTHROPIC,
    chain: ['custom/m', MAIN],
  },
  {
    name: 'fallbacks of the task come before the chat, those of the chat last',
    own: { provider: 'openrouter', model: 'a', fallback: [SPARE, { provider: 'main', model: 'b' }] },
    model: ANTHROPIC,
    more: { fallbacks: [{ provider: 'openai', model: 'c' }] },
    chain: ['openrouter/a', 'xai/grok-4.6', 'anthropic/b', MAIN, 'openai/c'],
  },
  {
    name: 'a fallback equal to the chat model is tried once',
    own: { fallback: [{ provider: 'anthropic', model: 'claude-sonnet-5' }] },
    model: ANTHROPIC,
    chain: [CHEAP, MAIN],
  },
];

describe('the route chain of an auxiliary task', () => {
  for (const { name, own, model = {}, more, flags, chain } of CASES) {
    verifies('PROV-8', name, () => {
      const auxiliary = own === undefined ? {} : { compression: task(own) };
      expect(chainOf(settingsWith({ model, auxiliary, ...more }), flags)).toEqual(chain);
    });
  }

  verifies('PROV-8', 'does not depend on the settings of other tasks', () => {
    const settings = settingsWith({ model: ANTHROPIC, auxiliary: { vision: task({ provider: 'main' }) } });
    expect(chainOf(settings, {}, 'vision')).toEqual([MAIN]);
    expect(chainOf(settings, {}, 'mcp')).toEqual([CHEAP, MAIN]);
  });

  verifies('PROV-8', 'keeps the other entries if one fails when it is opened', async () => {
    const auxiliary = { compression: task({ provider: 'nobody', providerLocation: 'config.yaml, line 3: x' }) };
    const settings = settingsWith({ model: ANTHROPIC, auxiliary });
    const [broken, ...rest] = resolveAuxiliaryRoutes(settings, choosePrimary(settings, {}), 'compression');
    await expect(broken?.open()).rejects.toThrow('config.yaml, line 3: x: "nobody" is not a known provider');
    expect(rest).toHaveLength(1);
  });

  verifies('PROV-8', 'includes the models of the chat and the command-line flags', async () => {
    const models = resolveRoutes(settingsWith({ model: SPARE }), { provider: 'anthropic' });
    const names = (await models?.auxiliaryRoutes('mcp'))?.map((route) => route.model);
    expect(names).toEqual(['claude-haiku-4-5', 'claude-sonnet-5']);
  });
});

describe('keys of auxiliary models', () => {
  const placesOf = async (own: Entry, model: ModelChoice = ANTHROPIC) => {
    const settings = settingsWith({ model, auxiliary: { mcp: task(own) } });
    const [first] = resolveAuxiliaryRoutes(settings, choosePrimary(settings, {}), 'mcp');
    return first?.open();
  };

  verifies('PROV-4', 'from a variable are not sent to another address', async () => {
    for (const provider of ['openrouter', 'anthropic']) {
      const own = { provider, model: 'm', baseUrl: 'https://elsewhere.example/v1' };
      await expect(placesOf(own)).rejects.toThrow('No API key was found for elsewhere.example');
    }
  });

  verifies('PROV-4', 'from the configuration are sent only to the configured address', async () => {
    const own = { provider: 'anthropic', model: 'm', baseUrl: 'https://elsewhere.example' };
    await expect(placesOf(own, ELSEWHERE)).rejects.toThrow('No API key was found for elsewhere.example');
    expect(await placesOf({ provider: 'anthropic', model: 'n' }, ELSEWHERE)).toMatchObject({
      baseUrl: 'https://proxy.example',
    });
  });

  verifies(
    'PROV-4',
    'of a task are sent to the provider it names, not to the configured address of the chat',
    async () => {
      const route = await placesOf({ provider: 'anthropic', model: 'm', apiKey: 'own-key' }, ELSEWHERE);
      expect(route?.baseUrl).toBe('https://api.anthropic.com');
      const saved = { provider: 'custom', model: 'm', baseUrl: 'https://proxy.example/v1', apiKey: 'proxy-key' };
      await expect(placesOf({ provider: 'custom', model: 'm', apiKey: 'own-key' }, saved)).rejects.toThrow(
        'has no base URL',
      );
    },
  );
});
