import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { Settings } from '../config/index.ts';
import { describeRoutes, resolveRoutes } from './index.ts';
import { settingsWith } from './settings.test-helper.ts';

describe('describeRoutes', () => {
  verifies('PROV-2', 'describes each part separately, so that a missing part hides nothing else', async () => {
    const model = { provider: 'anthropic', providerLocation: 'config.yaml, line 2: model.provider' };
    const fallbacks = [
      { provider: 'lab', model: 'm1' },
      { provider: 'copilot-acp', model: 'm2' },
    ];
    const lab = {
      name: 'lab',
      baseUrl: 'http://lab.local/v1',
      baseUrlLocation: 'config.yaml, line 9',
      keyVariable: 'LAB_KEY',
    };
    const settings = settingsWith({ model, fallbacks, customProviders: [lab], variables: { LAB_KEY: 'short' } });
    const [primary, named, program] = await describeRoutes(settings);
    expect(primary).toMatchObject({
      origin: 'config',
      provider: 'anthropic',
      model: 'claude-sonnet-5',
      baseUrl: 'https://api.anthropic.com',
      places: { provider: 'config.yaml, line 2: model.provider', model: 'the default of Anthropic' },
      problem: {
        message: 'No API key was found for Anthropic.',
        hint: expect.stringContaining('set ANTHROPIC_API_KEY in'),
      },
    });
    expect(named).toMatchObject({
      origin: 'fallback',
      provider: 'lab',
      apiMode: 'chat_completions',
      places: { baseUrl: 'config.yaml, line 9' },
      key: { place: 'LAB_KEY in the environment', ending: undefined },
    });
    expect(program).toMatchObject({ provider: 'copilot-acp', baseUrl: 'acp://copilot' });
    expect(program?.apiMode).toBeUndefined();
    expect(await describeRoutes(settingsWith())).toEqual([]);
  });

  verifies('CACHE-2', 'says for each route whether and how long prompts are cached', async () => {
    const lifeOf = async (provider: string, model: string, more = {}) => {
      const settings = settingsWith({ model: { provider, model, apiKey: 'k', ...more }, cacheTtl: '1h' });
      const [[described], routes] = [await describeRoutes(settings), resolveRoutes(settings)?.routes];
      // The chat displays the cache lifetime of the route at startup, and requests use that of the opened route.
      expect(await routes?.[0]?.findCacheTtl?.()).toBe(described?.cacheTtl);
      expect((await routes?.[0]?.open())?.cacheTtl).toBe(described?.cacheTtl);
      return described?.cacheTtl;
    };
    expect(await lifeOf('anthropic', 'claude-sonnet-5')).toBe('1h');
    expect(await lifeOf('openrouter', 'anthropic/claude-sonnet-5')).toBe('1h');
    expect(await lifeOf('openrouter', 'openai/gpt-5')).toBeUndefined();
    expect(await lifeOf('opencode-zen', 'claude-sonnet-5')).toBe('1h');
    expect(await lifeOf('alibaba', 'qwen3.7-plus')).toBe('5m');
    expect(await lifeOf('openai', 'gpt-5')).toBeUndefined();
    const own = { baseUrl: 'https://models.example.com/anthropic' };
    expect(await lifeOf('custom', 'claude-x', own)).toBe('1h');
    expect(await lifeOf('custom', 'claude-x', { baseUrl: 'https://models.example.com/v1' })).toBe('1h');
    expect(await lifeOf('custom', 'other-model', { baseUrl: 'https://models.example.com/v1' })).toBeUndefined();
    expect(await lifeOf('openrouter', 'qwen/qwen3-coder')).toBe('5m');
    // A local model with such a name is another model.
    expect(await lifeOf('ollama', 'claude-distilled', { apiMode: 'chat_completions' })).toBeUndefined();
  });

  verifies(
    'CACHE-2',
    'uses the caching mode of an endpoint before that of its provider and the general one',
    async () => {
      const cachingOf = async (more: Partial<Settings>) => {
        const settings = settingsWith({ model: { provider: 'lab', model: 'claude-x', apiKey: 'k' }, ...more });
        const [[described], routes] = [await describeRoutes(settings), resolveRoutes(settings)?.routes];
        const opened = await routes?.[0]?.open();
        expect(await routes?.[0]?.findCacheTtl?.()).toBe(described?.cacheTtl);
        expect(opened?.client.cacheMarkers?.ttl).toBe(described?.cacheTtl);
        return described?.cacheTtl;
      };
      const lab = { name: 'lab', baseUrl: 'https://models.example.com/v1' };
      expect(await cachingOf({ customProviders: [lab] })).toBe('5m');
      expect(await cachingOf({ customProviders: [lab], cachingMode: 'off' })).toBeUndefined();
      const providers = { lab: { cachingMode: 'on' as const } };
      expect(await cachingOf({ customProviders: [lab], cachingMode: 'off', providers })).toBe('5m');
      const own = { ...lab, cachingMode: 'off' as const };
      expect(await cachingOf({ customProviders: [own], providers })).toBeUndefined();
    },
  );

  it('shows only the last four characters of a key', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[!-~]{5,60}$/),
        fc.constantFrom('DEEPSEEK_API_KEY', 'api_key'),
        async (secret, location) => {
          const isWritten = location === 'api_key';
          const model = { provider: 'deepseek', ...(isWritten ? { apiKey: secret } : {}) };
          const described = await describeRoutes(
            settingsWith({ model, variables: isWritten ? {} : { [location]: secret } }),
          );
          expect(described[0]?.key?.ending?.length ?? 4).toBe(4);
          // Facts do not depend on the key and may contain words that occur in a key.
          const shown = JSON.stringify(described.map((route) => ({ ...route, facts: undefined })));
          expect(shown).not.toContain(JSON.stringify(secret.slice(-5)).slice(1, -1));
        },
      ),
    );
  });
});
