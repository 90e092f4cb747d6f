import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { readEndpointModels } from './endpoint-models.ts';
import { listCatalogue } from './index.ts';
import { answering, listen, type Loopback } from './loopback.test-helper.ts';

const home = '/nowhere';
let server: Loopback | undefined;
afterEach(() => server?.close());

async function listed(provider: string, data: readonly object[], overrides = {}) {
  server = await listen(answering({ '/v1/models': { data } }));
  const endpoint = { baseUrl: `${server.url}/v1`, apiMode: 'chat_completions', timeoutMs: 5_000 } as const;
  return listCatalogue({ provider, home, overrides, endpoint });
}

describe('the models of a provider', () => {
  verifies('PROV-7', 'OpenRouter: its own list, only language models with tools, newest first', async () => {
    const text = { input_modalities: ['text', 'image', 'file'], output_modalities: ['text'] };
    const models = await listed('openrouter', [
      {
        id: 'old/tools',
        created: 1_700_000_000,
        supported_parameters: ['tools'],
        architecture: text,
        context_length: 8_000,
      },
      {
        id: 'new/tools',
        created: 1_790_000_000,
        supported_parameters: ['tools', 'reasoning'],
        architecture: text,
        context_length: 9_000,
        top_provider: { max_completion_tokens: 700 },
        pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003', request: '0' },
      },
      { id: 'chat/only', created: 1_800_000_000, supported_parameters: ['temperature'], architecture: text },
      { id: 'picture/maker', supported_parameters: ['tools'], architecture: { output_modalities: ['image'] } },
    ]);
    expect(models.map(({ id }) => id)).toEqual(['new/tools', 'old/tools']);
    expect(models[0]).toMatchObject({
      listed: true,
      released: '2026-09-21',
      facts: {
        contextLength: 9_000,
        outputLimit: 700,
        tools: true,
        vision: true,
        documents: true,
        reasoning: true,
        price: { input: 3, output: 15, cacheRead: 0.3, source: expect.stringContaining('127.0.0.1') },
      },
    });
  });

  verifies('PROV-7', 'AI Gateway: its own list, only language models with tools', async () => {
    const models = await listed('ai-gateway', [
      { id: 'a/embed', type: 'embedding', tags: ['tool-use'] },
      { id: 'a/plain', type: 'language', tags: ['vision'] },
      {
        id: 'a/able',
        type: 'language',
        tags: ['tool-use', 'file-input'],
        context_window: 7,
        max_tokens: 3,
        pricing: { input: '0.000001', output: '0.000002' },
      },
    ]);
    expect(models.map(({ id }) => id)).toEqual(['a/able']);
    expect(models[0]?.facts).toMatchObject({ contextLength: 7, outputLimit: 3, documents: true, price: { input: 1 } });
  });

  verifies('PROV-10', 'a plain list gets facts from the catalogue, and configured facts override them', async () => {
    const models = await listed('anthropic', [{ id: 'claude-sonnet-5' }, { id: 'brand-new' }, { id: 'no-tools' }], {
      'claude-sonnet-5': { contextLength: 5 },
      'anthropic/no-tools': { tools: false },
    });
    expect(models.map(({ id }) => id)).toEqual(['claude-sonnet-5', 'brand-new']);
    expect(models[0]?.facts).toMatchObject({ contextLength: 5, outputLimit: 128_000, price: { input: 2 } });
    expect(models[1]?.facts).toEqual({});
  });

  verifies('PROV-10', 'are those of the catalogue if the endpoint does not respond, higher numbers first', async () => {
    const models = await listCatalogue({ provider: 'xai', home });
    expect(models.map(({ id }) => id)).toEqual(['grok-4.7', 'grok-4.6', 'grok-4.5', 'grok-4.3']);
    expect(models.some((model) => model.listed)).toBe(false);
    const endpoint = { baseUrl: 'http://127.0.0.1:1/v1', timeoutMs: 1_000 };
    expect(await listCatalogue({ provider: 'xai', home, endpoint })).toEqual(models);
    expect(await listCatalogue({ provider: 'nobody', home })).toEqual([]);
  });

  it('is parsed whatever an endpoint sends', () => {
    const anything = fc.jsonValue();
    const keys = ['type', 'architecture', 'tags', 'pricing', 'created', 'created_at', 'top_provider', 'context_length'];
    const entry = fc.record({ id: fc.string(), ...Object.fromEntries(keys.map((key) => [key, anything])) });
    fc.assert(
      fc.property(fc.array(entry), (list) => {
        const found = readEndpointModels(list, { source: 's', version: 'v' });
        for (const { facts } of found)
          expect(Math.min(facts.price?.input ?? 0, facts.contextLength ?? 1)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('has no price if it depends on more than tokens', () => {
    const price = (pricing: object) =>
      readEndpointModels([{ id: 'm', pricing } as never], { source: 's', version: 'v' })[0]?.facts.price;
    expect(price({ prompt: '0.000001', completion: '0.000001' })).toMatchObject({ input: 1 });
    for (const odd of [
      { prompt: '-1', completion: '-1' },
      { prompt: '0', completion: '0' },
      { prompt: '', completion: '' },
      { prompt: '0.000001', completion: '0.000001', request: '0.01' },
      { input: '0.000001', output: '0.000001', input_tiers: [] },
    ]) {
      expect(price(odd)).toBeUndefined();
    }
  });
});
