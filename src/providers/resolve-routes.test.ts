import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ConfigurationError } from '../base/index.ts';
import { loadSettings, type Settings } from '../config/index.ts';
import { toEndpoint } from './endpoint.ts';
import { resolveRoutes } from './index.ts';
import { isLocalEndpoint } from './find-base-url.ts';
import { endpointOf, settingsWith } from './settings.test-helper.ts';

const ALL_KEYS = {
  OPENROUTER_API_KEY: 'key-of-openrouter',
  OPENAI_API_KEY: 'key-of-openai',
  ANTHROPIC_API_KEY: 'key-of-anthropic',
  DEEPSEEK_API_KEY: 'key-of-deepseek',
  GEMINI_API_KEY: 'key-of-gemini',
  XAI_API_KEY: 'key-of-xai',
};

describe('the precedence of choices', () => {
  const saved = { provider: 'deepseek', model: 'saved-model' };

  verifies('PROV-1', 'explicit over configured, configured over environment, environment over automatic', () => {
    const variables = { ...ALL_KEYS, OPENAI_BASE_URL: 'http://shell.example/v1' };
    const all = settingsWith({ model: saved, variables });
    expect(endpointOf(all, { provider: 'xai' })).toMatchObject({ provider: 'xai', model: 'grok-4.6' });
    expect(endpointOf(all)).toMatchObject({ provider: 'deepseek', model: 'saved-model' });
    expect(endpointOf(settingsWith({ variables }), { model: 'm' })).toMatchObject({
      provider: 'custom',
      baseUrl: 'http://shell.example/v1',
    });
    expect(endpointOf(settingsWith({ variables: ALL_KEYS }))).toMatchObject({ provider: 'openrouter' });
  });

  verifies(
    'PROV-1',
    'the choice source distinguishes a custom endpoint of the environment from the automatic choice',
    () => {
      const origin = (changes: Partial<Settings>, flags = {}) =>
        resolveRoutes(settingsWith(changes), flags)?.source.origin;
      expect(origin({ model: saved, variables: ALL_KEYS }, { provider: 'deepseek' })).toBe('explicit');
      expect(origin({ model: saved, variables: ALL_KEYS })).toBe('config');
      expect(origin({ variables: { OPENAI_BASE_URL: 'http://h/v1', HERMES_INFERENCE_MODEL: 'm' } })).toBe(
        'environment',
      );
      expect(origin({ variables: ALL_KEYS })).toBe('auto');
      expect(origin({})).toBeUndefined();
    },
  );

  it('keeps the configured key and address when the configured provider is named explicitly', () => {
    const settings = settingsWith({ model: { ...saved, apiKey: 'saved-key', contextLength: 5 } });
    expect(endpointOf(settings, { provider: 'DeepSeek', model: 'other' })).toMatchObject({
      model: 'other',
      credential: { secret: 'saved-key' },
    });
    // The configured window applies only to the configured model.
    expect(endpointOf(settings, { model: 'no-such-model' }).contextLength).toBeUndefined();
    expect(endpointOf(settings).contextLength).toBe(5);
  });

  it('uses a model without a provider with any provider that has a key', () => {
    const settings = settingsWith({ model: { model: 'm' }, variables: { XAI_API_KEY: 'k' } });
    expect(endpointOf(settings)).toMatchObject({ provider: 'xai', model: 'm' });
  });

  it('selects a named endpoint, ignoring case and with its prefix', () => {
    const lab = { name: 'Lab', baseUrl: 'https://lab.example/v1/', apiKey: 'lab-key', model: 'lab-model' };
    const settings = settingsWith({ customProviders: [lab], variables: ALL_KEYS });
    for (const provider of ['Lab', 'lab', 'custom:lab']) {
      expect(endpointOf(settings, { provider })).toMatchObject({
        provider: 'Lab',
        model: 'lab-model',
        baseUrl: 'https://lab.example/v1',
        credential: { secret: 'lab-key', hosts: ['lab.example'] },
      });
    }
  });
});

describe('keys', () => {
  verifies('PROV-4', 'the key of each provider is bound to its own host', () => {
    const settings = settingsWith({ variables: ALL_KEYS });
    const hosts = {
      openrouter: 'openrouter.ai',
      openai: 'api.openai.com',
      anthropic: 'api.anthropic.com',
      deepseek: 'api.deepseek.com',
      gemini: 'generativelanguage.googleapis.com',
      xai: 'api.x.ai',
    };
    for (const [provider, host] of Object.entries(hosts)) {
      expect(endpointOf(settings, { provider }).credential).toEqual({ secret: `key-of-${provider}`, hosts: [host] });
    }
  });

  verifies('PROV-4', 'a key is not sent to another address of its provider', () => {
    const model = { provider: 'openrouter', model: 'm', baseUrl: 'https://elsewhere.example/v1' };
    const settings = settingsWith({ model, variables: ALL_KEYS });
    expect(() => endpointOf(settings)).toThrow(/No API key was found for elsewhere\.example/);
    const withKey = settingsWith({ model: { ...model, apiKey: 'written' }, variables: ALL_KEYS });
    expect(endpointOf(withKey).credential).toEqual({ secret: 'written', hosts: ['elsewhere.example'] });
  });

  verifies('PROV-4', 'the OpenAI key is sent only to OpenAI and to custom endpoints', () => {
    const variables = { OPENAI_API_KEY: 'key-of-openai' };
    const custom = (baseUrl: string) =>
      endpointOf(settingsWith({ model: { provider: 'custom', model: 'm', baseUrl }, variables }));
    expect(custom('https://lab.example:8443/v1').credential).toEqual({
      secret: 'key-of-openai',
      hosts: ['lab.example:8443'],
    });
    // The address is that of a provider with its own key.
    expect(() => custom('https://openrouter.ai/api/v1')).toThrow(/No API key was found for OpenRouter/);
    for (const provider of ['openrouter', 'anthropic', 'deepseek', 'gemini', 'xai']) {
      expect(() => endpointOf(settingsWith({ variables }), { provider })).toThrow(ConfigurationError);
    }
    for (const provider of ['ollama', 'lmstudio', 'llamacpp']) {
      expect(endpointOf(settingsWith({ variables }), { provider, model: 'm' }).credential).toBeUndefined();
    }
  });

  verifies('PROV-4', 'the key of a named endpoint is not sent to another host', () => {
    const lab = { name: 'lab', baseUrl: 'https://lab.example/v1', apiKey: 'key-of-lab' };
    const named = { name: 'named', baseUrl: 'https://lab.example/v1', keyVariable: 'LAB_KEY' };
    const settings = settingsWith({ customProviders: [lab, named], variables: { LAB_KEY: 'key-of-lab' } });
    for (const provider of ['lab', 'named']) {
      const keyAt = (baseUrl: string) => toEndpoint(settings, { provider, model: 'm', baseUrl }).credential?.secret;
      expect(keyAt('https://lab.example/other')).toBe('key-of-lab');
      expect(keyAt('https://elsewhere.example/v1')).toBeUndefined();
      expect(keyAt('https://lab.example:8443/v1')).toBeUndefined();
    }
  });

  it('a local server type stays the same at any address', () => {
    const modeAt = (provider: string, baseUrl: string) =>
      toEndpoint(settingsWith({}), { provider, model: 'm', baseUrl }).providerApiMode;
    expect(modeAt('ollama', 'https://models.example')).toBe('ollama_chat');
    expect(modeAt('ollama', 'http://192.168.1.5:9000/v1')).toBe('ollama_chat');
    expect(modeAt('ollama', 'http://127.0.0.1:8080')).toBe('ollama_chat');
    expect(modeAt('vllm', 'http://127.0.0.1:11434/v1')).toBe('chat_completions');
    // The address takes precedence over the name.
    expect(modeAt('ollama', 'http://192.168.1.5:9000/v1/chat/completions')).toBe('chat_completions');
    const key = { variables: { OPENROUTER_API_KEY: 'k' } };
    const elsewhere = { provider: 'ollama', model: 'm', baseUrl: 'https://openrouter.ai/api/v1' };
    expect(toEndpoint(settingsWith(key), elsewhere).providerApiMode).toBe('chat_completions');
  });

  verifies('PROV-4', 'a configured custom endpoint needs no environment variable', () => {
    const model = { provider: 'custom', model: 'm', baseUrl: 'https://lab.example/v1', apiKey: 'saved' };
    expect(endpointOf(settingsWith({ model })).credential?.secret).toBe('saved');
    expect(endpointOf(settingsWith({ model: { ...model, apiKey: undefined } })).credential).toBeUndefined();
  });

  it('finds the key of a known provider if only its address is configured', () => {
    const model = { model: 'm', baseUrl: 'https://api.deepseek.com/v1' };
    expect(endpointOf(settingsWith({ model, variables: ALL_KEYS })).credential?.secret).toBe('key-of-deepseek');
  });

  it('prefers the key variable that a named endpoint configures', () => {
    const lab = { name: 'lab', baseUrl: 'https://api.openai.com/v1', keyVariable: 'LAB_KEY', model: 'm' };
    const settings = settingsWith({ customProviders: [lab], variables: { ...ALL_KEYS, LAB_KEY: 'lab' } });
    expect(endpointOf(settings, { provider: 'lab' }).credential?.secret).toBe('lab');
  });
});

describe('the route chain', () => {
  verifies(
    'CALL-6',
    'has the fallbacks after the primary, and one that cannot be opened does not affect the others',
    async () => {
      const settings = settingsWith({
        model: { provider: 'openrouter', model: 'm' },
        fallbacks: [
          { provider: 'nowhere', model: 'm1' },
          { provider: 'ollama', model: 'm2', contextLength: 4096 },
        ],
      });
      const resolved = resolveRoutes(settings);
      expect(resolved?.routes.map((route) => `${route.provider}/${route.model}`)).toEqual([
        'openrouter/m',
        'nowhere/m1',
        'ollama/m2',
      ]);
      expect(resolved?.warnings).toEqual([expect.stringContaining('"nowhere" is not a known provider')]);
      await expect(resolved?.routes[0]?.open()).rejects.toThrow(/No API key was found for OpenRouter/);
      await expect(resolved?.routes[1]?.open()).rejects.toThrow(/"nowhere" is not a known provider/);
      const opened = await resolved?.routes[2]?.open();
      expect(opened).toMatchObject({ provider: 'ollama', model: 'm2', apiMode: 'ollama_chat' });
    },
  );

  it('fails immediately if no entry can work', () => {
    expect(() => resolveRoutes(settingsWith({ model: { provider: 'anthropic', model: 'm' } }))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('hermes setup') }),
    );
    expect(() => resolveRoutes(settingsWith(), { provider: 'custom' })).toThrow(/has no base URL/);
    expect(() => resolveRoutes(settingsWith(), { provider: 'ollama' })).toThrow(/No model is selected/);
    expect(() => resolveRoutes(settingsWith(), { provider: 'nope' })).toThrow(/"nope" is not a known provider/);
  });
});

describe('configuration mistakes', () => {
  verifies('BOUND-2', 'an unknown provider is reported with its config location', async () => {
    const home = await mkdtemp(join(tmpdir(), 'hermes-providers-'));
    await writeFile(join(home, 'config.yaml'), '# mine\nmodel:\n  default: m\n  provider: opnai\n');
    const settings = await loadSettings({ home, env: { XAI_API_KEY: 'k' } });
    await rm(home, { recursive: true });
    const message = `${join(home, 'config.yaml')}, line 4: model.provider: "opnai" is not a known provider`;
    expect(() => resolveRoutes(settings)).toThrow(ConfigurationError);
    expect(() => resolveRoutes(settings)).toThrow(message);
    // An explicit choice does not depend on the configuration.
    expect(resolveRoutes(settings, { provider: 'xai' })?.routes[0]?.provider).toBe('xai');
    const variables = { HERMES_INFERENCE_PROVIDER: 'nope' };
    expect(() => resolveRoutes(settingsWith({ variables }))).toThrow('HERMES_INFERENCE_PROVIDER in the environment: "');
  });

  verifies('BOUND-2', 'a base URL in the environment must be valid and contain no password', () => {
    const addressed = (url: string) => () =>
      resolveRoutes(settingsWith({ variables: { OPENAI_BASE_URL: url, HERMES_INFERENCE_MODEL: 'm' } }));
    for (const url of ['https://me:hunter2@h/v1', 'me:hunter2@h', 'ftp://me:hunter2@h', 'https://hunter2@h/v1']) {
      expect(addressed(url)).toThrow(ConfigurationError);
      expect(addressed(url)).not.toThrow(/hunter2/);
    }
    expect(addressed('https://me:hunter2@h/v1')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('api_key') }),
    );
  });
});

describe('the API mode', () => {
  it('is the one configured for the model or for the named endpoint', async () => {
    const modeOf = async (changes: Partial<Settings>, provider?: string) =>
      (await resolveRoutes(settingsWith(changes), { provider })?.routes[0]?.open())?.apiMode;
    const model = { provider: 'custom', model: 'm', baseUrl: 'http://127.0.0.1:1/v1' };
    expect(await modeOf({ model })).toBe('chat_completions');
    expect(await modeOf({ model: { ...model, apiMode: 'anthropic_messages' } })).toBe('anthropic_messages');
    const lab = { name: 'lab', baseUrl: 'http://127.0.0.1:1/v1', model: 'm', apiMode: 'codex_responses' as const };
    expect(await modeOf({ customProviders: [lab] }, 'lab')).toBe('codex_responses');
    expect(await modeOf({ customProviders: [{ ...lab, apiMode: undefined }] }, 'lab')).toBe('chat_completions');
    const byEnvironment = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    expect(await modeOf({ model: { model: 'm', apiMode: 'codex_responses' }, variables: byEnvironment })).toBe(
      'codex_responses',
    );
  });
});

describe('endpoint settings', () => {
  verifies('CALL-2', 'the stall timeout is the configured one, else 180 s, and 900 s for local endpoints', () => {
    const custom = (baseUrl: string, seconds?: number) =>
      endpointOf(
        settingsWith({ model: { provider: 'custom', model: 'm', baseUrl }, streamStaleTimeoutSeconds: seconds }),
      ).stallTimeoutMs;
    expect(custom('https://lab.example/v1')).toBe(180_000);
    expect(custom('http://192.168.1.5:8000/v1')).toBe(900_000);
    expect(custom('http://127.0.0.1:8000/v1', 0.5)).toBe(500);
  });

  it('distinguishes local addresses from others', () => {
    const local = [
      'localhost',
      '127.0.0.9',
      '10.1.1.1',
      '172.16.0.1',
      '192.168.0.1',
      '100.64.0.1',
      '[::1]',
      'box.local',
    ];
    for (const host of local) expect([host, isLocalEndpoint(`http://${host}:1/v1`)]).toEqual([host, true]);
    for (const host of ['example.com', '172.32.0.1', '8.8.8.8', '11.0.0.1', '[2001:db8::1]', 'localhost.evil.com']) {
      expect([host, isLocalEndpoint(`http://${host}:1/v1`)]).toEqual([host, false]);
    }
  });
});
