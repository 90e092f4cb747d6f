import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { loadSettings, type Settings } from '../config/index.ts';
import type { ChoiceSource, RouteFlags } from './choose-provider.ts';
import { resolveRoutes } from './index.ts';
import { endpointOf } from './settings.test-helper.ts';

type Case = {
  name: string;
  config?: string;
  dotEnv?: string;
  env?: Record<string, string>;
  flags?: RouteFlags;
  /** `provider/model`, its key, and the choice source. */
  chosen: string | undefined;
  key?: string;
  baseUrl?: string;
  origin?: ChoiceSource;
  place?: string;
};

const KEYS = {
  OPENROUTER_API_KEY: 'openrouter-key',
  OPENAI_API_KEY: 'openai-key',
  ANTHROPIC_API_KEY: 'anthropic-key',
  DEEPSEEK_API_KEY: 'deepseek-key',
  XAI_API_KEY: 'xai-key',
  AI_GATEWAY_API_KEY: 'gateway-key',
};
/** Variables that may be left over in a shell. */
const STALE = {
  ...KEYS,
  OPENAI_BASE_URL: 'http://old.example/v1',
  HERMES_INFERENCE_PROVIDER: 'xai',
  HERMES_INFERENCE_MODEL: 'old-model',
};
const SAVED = 'model:\n  provider: deepseek\n  default: saved-model\n';
const ENDPOINT = 'model:\n  provider: custom\n  default: m\n  base_url: https://lab.example/v1\n';
const LAB =
  'custom_providers:\n  - { name: Lab, base_url: "https://lab.example/v1", api_key: lab-key, model: lab-model }\n';

const CASES: readonly Case[] = [
  // Explicit choices.
  {
    name: '--provider alone selects that provider with its default model',
    config: SAVED,
    env: KEYS,
    flags: { provider: 'xai' },
    chosen: 'xai/grok-4.6',
    key: 'xai-key',
    origin: 'explicit',
    place: '--provider',
  },
  {
    name: '--model alone keeps the configured provider',
    config: SAVED,
    env: KEYS,
    flags: { model: 'asked' },
    chosen: 'deepseek/asked',
    key: 'deepseek-key',
    origin: 'config',
    place: 'line 2: model.provider',
  },
  {
    name: '--provider and --model together override everything',
    config: SAVED,
    env: STALE,
    flags: { provider: 'openai', model: 'asked' },
    chosen: 'openai/asked',
    key: 'openai-key',
    origin: 'explicit',
    place: '--provider',
  },
  {
    name: '--provider with the configured provider keeps the configured model and key',
    config: `${SAVED}  api_key: saved-key\n`,
    env: KEYS,
    flags: { provider: 'DeepSeek' },
    chosen: 'deepseek/saved-model',
    key: 'saved-key',
    origin: 'explicit',
  },
  {
    name: '--provider with another provider ignores the configured base URL and key',
    config: `${ENDPOINT}  api_key: saved-key\n`,
    env: KEYS,
    flags: { provider: 'anthropic' },
    chosen: 'anthropic/claude-sonnet-5',
    key: 'anthropic-key',
    baseUrl: 'https://api.anthropic.com',
  },
  {
    name: '--provider auto selects nothing',
    config: SAVED,
    env: KEYS,
    flags: { provider: 'auto' },
    chosen: 'deepseek/saved-model',
    key: 'deepseek-key',
    origin: 'config',
  },
  {
    name: '--model alone without a configuration uses the first key',
    env: { XAI_API_KEY: 'xai-key' },
    flags: { model: 'asked' },
    chosen: 'xai/asked',
    key: 'xai-key',
    origin: 'auto',
  },
  // Configured choices.
  {
    name: 'a configured provider and model with the key in the environment',
    config: SAVED,
    env: KEYS,
    chosen: 'deepseek/saved-model',
    key: 'deepseek-key',
    origin: 'config',
    place: 'line 2: model.provider',
  },
  {
    name: 'a configured provider without a model uses its default model',
    config: 'model:\n  provider: deepseek\n',
    env: KEYS,
    chosen: 'deepseek/deepseek-v4-flash',
    key: 'deepseek-key',
  },
  {
    name: 'a configured provider with an alias',
    config: 'model:\n  provider: moonshot\n  default: m\n',
    env: { ...KEYS, KIMI_API_KEY: 'kimi-key' },
    chosen: 'kimi-coding/m',
    key: 'kimi-key',
    baseUrl: 'https://api.moonshot.ai/v1',
  },
  {
    name: 'a configured provider with an id from an older configuration',
    config: 'model:\n  provider: openai-api\n  default: m\n',
    env: KEYS,
    chosen: 'openai/m',
    key: 'openai-key',
  },
  {
    name: 'a configured base_url alone is a custom endpoint',
    config: 'model:\n  default: m\n  base_url: https://lab.example/v1\n',
    env: KEYS,
    chosen: 'custom/m',
    key: 'openai-key',
    baseUrl: 'https://lab.example/v1',
    place: 'line 3: model.base_url',
  },
  {
    name: 'a configured base_url of a known provider uses the key of that provider',
    config: 'model:\n  default: m\n  base_url: https://api.deepseek.com/v1\n',
    env: KEYS,
    chosen: 'custom/m',
    key: 'deepseek-key',
    origin: 'config',
  },
  {
    name: 'a configured key alone belongs to the automatic choice',
    config: 'model:\n  default: m\n  api_key: saved-key\n',
    env: { XAI_API_KEY: 'xai-key' },
    chosen: 'openrouter/m',
    key: 'saved-key',
    origin: 'config',
    place: 'line 3: model.api_key',
  },
  {
    name: 'a model as a plain string uses the first key',
    config: 'model: plain-model\n',
    env: { XAI_API_KEY: 'xai-key' },
    chosen: 'xai/plain-model',
    key: 'xai-key',
    origin: 'auto',
  },
  {
    name: 'provider auto in the file selects nothing',
    config: 'model:\n  provider: auto\n  default: m\n',
    env: { ANTHROPIC_API_KEY: 'anthropic-key' },
    chosen: 'anthropic/m',
    key: 'anthropic-key',
    origin: 'auto',
  },
  {
    name: 'a configured custom endpoint with a key needs no environment variables',
    config: `${ENDPOINT}  api_key: saved-key\n`,
    chosen: 'custom/m',
    key: 'saved-key',
    baseUrl: 'https://lab.example/v1',
    origin: 'config',
  },
  {
    name: 'a configured custom endpoint without a key uses none',
    config: ENDPOINT,
    chosen: 'custom/m',
    key: undefined,
    baseUrl: 'https://lab.example/v1',
    origin: 'config',
  },
  {
    name: 'a configured custom provider without a base URL uses that of the environment',
    config: 'model:\n  provider: custom\n  default: m\n',
    env: { OPENAI_BASE_URL: 'http://shell.example/v1' },
    chosen: 'custom/m',
    baseUrl: 'http://shell.example/v1',
    origin: 'config',
  },
  // Leftover exports.
  {
    name: 'leftover exports of every kind do not affect a configured provider',
    config: SAVED,
    env: STALE,
    chosen: 'deepseek/saved-model',
    key: 'deepseek-key',
    baseUrl: 'https://api.deepseek.com/v1',
    origin: 'config',
  },
  {
    name: 'leftover exports of every kind do not affect a configured endpoint',
    config: `${ENDPOINT}  api_key: saved-key\n`,
    env: STALE,
    chosen: 'custom/m',
    key: 'saved-key',
    baseUrl: 'https://lab.example/v1',
    origin: 'config',
  },
  {
    name: 'a leftover export of the same key is overridden by .env',
    config: SAVED,
    dotEnv: 'DEEPSEEK_API_KEY=saved-key\n',
    env: STALE,
    chosen: 'deepseek/saved-model',
    key: 'saved-key',
  },
  {
    name: 'a model exported for one provider is not used with another provider',
    config: 'model:\n  provider: deepseek\n',
    env: STALE,
    chosen: 'deepseek/deepseek-v4-flash',
    key: 'deepseek-key',
  },
  // Choices from the environment.
  {
    name: 'HERMES_INFERENCE_PROVIDER without a configuration',
    env: { ...KEYS, HERMES_INFERENCE_PROVIDER: 'grok' },
    chosen: 'xai/grok-4.6',
    key: 'xai-key',
    origin: 'environment',
    place: 'HERMES_INFERENCE_PROVIDER in the env',
  },
  {
    name: 'HERMES_INFERENCE_MODEL with the first key',
    env: { ...KEYS, HERMES_INFERENCE_MODEL: 'wanted' },
    chosen: 'openrouter/wanted',
    key: 'openrouter-key',
    origin: 'auto',
  },
  {
    name: 'HERMES_INFERENCE_MODEL with an explicit provider',
    env: { ...KEYS, HERMES_INFERENCE_MODEL: 'wanted' },
    flags: { provider: 'xai' },
    chosen: 'xai/wanted',
    key: 'xai-key',
    origin: 'explicit',
  },
  {
    name: 'both variables, set in .env',
    dotEnv: 'HERMES_INFERENCE_PROVIDER=deepseek\nHERMES_INFERENCE_MODEL=wanted\nDEEPSEEK_API_KEY=saved-key\n',
    env: { XAI_API_KEY: 'xai-key' },
    chosen: 'deepseek/wanted',
    key: 'saved-key',
    origin: 'environment',
    place: '.env',
  },
  {
    name: 'HERMES_INFERENCE_PROVIDER takes precedence over OPENAI_BASE_URL',
    env: { ...KEYS, HERMES_INFERENCE_PROVIDER: 'xai', OPENAI_BASE_URL: 'http://shell.example/v1' },
    chosen: 'xai/grok-4.6',
    key: 'xai-key',
  },
  {
    name: 'OPENAI_BASE_URL selects a custom endpoint before any key',
    config: 'model: m\n',
    env: { ...KEYS, OPENAI_BASE_URL: 'http://shell.example/v1' },
    chosen: 'custom/m',
    key: 'openai-key',
    baseUrl: 'http://shell.example/v1',
    origin: 'environment',
    place: 'OPENAI_BASE_URL in the environment',
  },
  // The automatic choice.
  {
    name: 'all keys are set: OpenRouter is the automatic choice',
    env: KEYS,
    chosen: 'openrouter/anthropic/claude-sonnet-5',
    key: 'openrouter-key',
    origin: 'auto',
    place: 'OPENROUTER_API_KEY in the environment',
  },
  {
    name: 'several keys without OpenRouter: the first of the table',
    env: { ...KEYS, OPENROUTER_API_KEY: '' },
    chosen: 'ai-gateway/anthropic/claude-sonnet-5',
    key: 'gateway-key',
    origin: 'auto',
  },
  {
    name: 'the OpenAI key alone means OpenAI itself',
    env: { OPENAI_API_KEY: 'openai-key' },
    chosen: 'openai/gpt-5.6-terra',
    key: 'openai-key',
    baseUrl: 'https://api.openai.com/v1',
    origin: 'auto',
  },
  {
    name: 'tokens of other programs select nothing',
    env: {
      GITHUB_TOKEN: 'g',
      GH_TOKEN: 'g',
      HF_TOKEN: 'h',
      MODEL_API_KEY: 'm',
      LM_API_KEY: 'l',
      CLAUDE_CODE_OAUTH_TOKEN: 'c',
    },
    chosen: undefined,
  },
  {
    name: 'such a token is used once its provider is selected',
    env: { HF_TOKEN: 'hf-key' },
    flags: { provider: 'hf', model: 'm' },
    chosen: 'huggingface/m',
    key: 'hf-key',
    origin: 'explicit',
  },
  { name: 'nothing at all', chosen: undefined },
  // Named endpoints.
  {
    name: 'an explicit named endpoint, ignoring case',
    config: LAB,
    env: STALE,
    flags: { provider: 'lab' },
    chosen: 'Lab/lab-model',
    key: 'lab-key',
    baseUrl: 'https://lab.example/v1',
    origin: 'explicit',
  },
  {
    name: 'a configured named endpoint with its prefix',
    config: `model:\n  provider: custom:lab\n  default: m\n${LAB}`,
    env: STALE,
    chosen: 'Lab/m',
    key: 'lab-key',
    origin: 'config',
  },
  {
    name: 'a named endpoint overrides a row with the same name',
    config: LAB.replace('Lab', 'openrouter'),
    env: KEYS,
    flags: { provider: 'openrouter' },
    chosen: 'openrouter/lab-model',
    key: 'lab-key',
    baseUrl: 'https://lab.example/v1',
  },
];

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hermes-precedence-'));
});
afterAll(() => rm(home, { recursive: true }));

async function load({ config = '', dotEnv = '', env = {} }: Partial<Case>): Promise<Settings> {
  await writeFile(join(home, 'config.yaml'), config);
  await writeFile(join(home, '.env'), dotEnv);
  return loadSettings({ home, env });
}

describe('the precedence of choices, case by case', () => {
  for (const { name, ...given } of CASES) {
    verifies(['PROV-1', 'PROV-2'], name, async () => {
      const settings = await load(given);
      const resolved = resolveRoutes(settings, given.flags);
      if (given.chosen === undefined) {
        expect(resolved).toBeUndefined();
        return;
      }
      const endpoint = endpointOf(settings, given.flags);
      expect(`${endpoint.provider}/${endpoint.model}`).toBe(given.chosen);
      if ('key' in given) expect(endpoint.credential?.secret).toBe(given.key);
      if (given.baseUrl !== undefined) expect(endpoint.baseUrl).toBe(given.baseUrl);
      if (given.origin !== undefined) expect(resolved?.source.origin).toBe(given.origin);
      expect(resolved?.source.place).toContain(given.place ?? '');
      expect(`${resolved?.routes[0]?.provider}/${resolved?.routes[0]?.model}`).toBe(given.chosen);
    });
  }
});

describe('choices that cannot be opened', () => {
  verifies('PROV-1', 'say how to sign in if the login of a provider is missing', async () => {
    for (const provider of ['nous', 'codex', 'copilot', 'qwen-portal', 'minimax-oauth']) {
      const settings = await load({ env: KEYS });
      expect(() => resolveRoutes(settings, { provider })).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(/^No login was found for /),
          hint: expect.stringContaining('hermes auth add '),
        }),
      );
    }
    // A configured key works like a login.
    const written = await load({ config: 'model:\n  provider: nous\n  default: m\n  api_key: agent-key\n' });
    expect(endpointOf(written).credential?.secret).toBe('agent-key');
  });

  verifies(['PROV-1', 'CALL-6'], 'fall back from a primary that cannot be resolved', async () => {
    const fallbacks = 'fallback_providers:\n  - { provider: xai, model: f1 }\n  - { provider: nous, model: f2 }\n';
    for (const [primary, words] of [
      ['model:\n  provider: nowhere\n  default: m\n', 'line 2: model.provider: "nowhere" is not a known provider'],
      ['model:\n  provider: custom\n  default: m\n', 'has no base URL'],
      ['model:\n  provider: ollama\n', 'No model is selected for Ollama'],
      ['model:\n  provider: anthropic\n', 'No API key was found for Anthropic'],
      ['model:\n  provider: openai-codex\n', 'No login was found for OpenAI Codex'],
    ] as const) {
      const settings = await load({ config: primary + fallbacks, env: { XAI_API_KEY: 'xai-key' } });
      const resolved = resolveRoutes(settings);
      // The problem of the first route is reported once, by the fallback.
      expect(resolved?.warnings).toEqual([expect.stringContaining('No login was found for Nous Portal')]);
      await expect(resolved?.routes[0]?.open()).rejects.toThrow(words);
      expect(await resolved?.routes[1]?.open()).toMatchObject({ provider: 'xai', model: 'f1' });
    }
  });
});
