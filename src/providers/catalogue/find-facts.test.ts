import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { familyWindow, findEntry, findFacts } from './find-facts.ts';
import { formatProviderFile, type ProviderFile, readProviderFile } from './provider-file.ts';
import { fetchedFile } from './catalogue-files.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hermes-facts-'));
});
afterAll(() => rm(home, { recursive: true }));

const find = (provider: string | undefined, model: string, local = false) =>
  findFacts({ provider, model, home, local });

const fileOf = (models: Readonly<Record<string, number>>, version = '2026-01-01'): ProviderFile[] => {
  const origin = { source: 's', version, subscription: false };
  const entries = Object.entries(models).map(([id, input]) => ({
    id,
    facts: { contextLength: 1000, price: { input, output: 1, source: 's', version } },
  }));
  return [readProviderFile(formatProviderFile([{ origin, entries }])) as ProviderFile];
};

describe('a model name', () => {
  const files = fileOf({
    'anthropic/claude-opus-4.8': 5,
    'anthropic/claude-opus-4.8:free': 0.5,
    'openai/gpt-9': 7,
    'openai/gpt-9-2026-01-01': 8,
    'maker/one-20250101': 2,
    'maker/one-20250601': 2,
    'maker/two-20250101': 3,
    'maker/two-20250601': 4,
  });
  const found = (model: string) => {
    const entry = findEntry(files, model);
    return entry && [entry.id, entry.facts.price?.input];
  };

  verifies('PROV-10', 'is found with or without its vendor, a date, dots or dashes, in any case', () => {
    expect(found('anthropic/claude-opus-4.8')).toEqual(['anthropic/claude-opus-4.8', 5]);
    expect(found('Anthropic/Claude-Opus-4-8')).toEqual(['anthropic/claude-opus-4.8', 5]);
    expect(found('claude-opus-4-8-20260301')).toEqual(['anthropic/claude-opus-4.8', 5]);
    expect(found('~anthropic/claude-opus-4.8-latest')).toEqual(['anthropic/claude-opus-4.8', 5]);
    expect(found('openai/gpt-9-2026-01-01')).toEqual(['openai/gpt-9-2026-01-01', 8]);
    expect(found('maker/one')).toEqual(['maker/one-20250601', 2]);
  });

  verifies('PROV-10', 'has no price if the match is ambiguous', () => {
    expect(found('anthropic/claude-opus-4.8:free')).toEqual(['anthropic/claude-opus-4.8:free', 0.5]);
    expect(found('anthropic/claude-opus-4.8:nitro')?.[1]).toBeUndefined();
    expect(found('maker/two')).toEqual(['maker/two-20250601', undefined]);
    expect(found('openai/gpt-9-2027-01-01')?.[1]).toBeUndefined();
  });

  it('that is unknown is not found', () => {
    for (const model of ['', ':', '/', 'gpt', 'openai/gpt-10', 'anthropic', '\n', 'claude-opus-4']) {
      expect([model, found(model)]).toEqual([model, undefined]);
    }
  });
});

describe('model facts', () => {
  verifies('PROV-10', 'include window, limits, abilities and prices for a model of a provider', () => {
    expect(find('anthropic', 'claude-sonnet-5')).toMatchObject({
      contextLength: 1_000_000,
      outputLimit: 128_000,
      tools: true,
      vision: true,
      documents: true,
      reasoning: true,
      price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, version: '2026-11-02' },
    });
    expect(find('anthropic', 'claude-opus-4-8').fastPrice).toMatchObject({ input: 10, output: 50 });
    expect(find('xai', 'grok-4.6').price?.tiers).toEqual([{ above: 200_000, input: 4, output: 12, cacheRead: 1 }]);
    expect(find('openrouter', 'anthropic/claude-sonnet-5').price?.input).toBe(2);
  });

  verifies('PROV-10', 'from another provider exclude its prices', () => {
    for (const provider of [undefined, 'nous', 'My Lab', '../anthropic']) {
      const { contextLength, vision, reasoning, ...rest } = find(provider, 'anthropic/claude-sonnet-5');
      expect([contextLength, vision, reasoning]).toEqual([1_000_000, true, true]);
      expect(rest).toEqual({});
    }
  });

  verifies('CALL-11', 'of a subscription have no price', () => {
    expect(find('openai-codex', 'gpt-5.6-terra')).toMatchObject({ contextLength: 272_000, subscription: true });
    expect(find('openai-codex', 'gpt-5.6-terra').price).toBeUndefined();
    expect(find('copilot', 'never-heard-of')).toEqual({ subscription: true });
  });

  verifies('PROV-10', 'of an unknown model are only the window of its family', () => {
    expect(find('anthropic', 'claude-next-9')).toEqual({ contextLength: 200_000 });
    expect(find(undefined, 'something-else')).toEqual({});
    expect(find(undefined, 'llama-3.3-70b', true)).toEqual({ contextLength: 131_072 });
    expect(familyWindow('anthropic/claude-sonnet-4.6')).toBe(1_000_000);
    expect(familyWindow('claude-2')).toBe(200_000);
    expect(familyWindow('GPT-5.4-MINI-2026')).toBe(400_000);
    expect(familyWindow('something-else')).toBeUndefined();
  });

  verifies('PROV-10', 'come from the fetched file if it is newer and intact', async () => {
    const write = async (version: string, cut = false) => {
      const origin = { source: 'fetched', version, subscription: false };
      const text = formatProviderFile([{ origin, entries: [{ id: 'grok-4.6', facts: { contextLength: 7 } }] }]);
      const file = fetchedFile(home, 'xai');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, cut ? text.slice(0, -1) : text);
    };
    await write('2099-01-01');
    expect(find('xai', 'grok-4.6')).toEqual({ contextLength: 7 });
    // Facts about models that the downloaded catalogue lacks still come from the bundled one.
    expect(find('xai', 'grok-4.5').contextLength).toBe(500_000);
    await write('2020-01-01');
    expect(find('xai', 'grok-4.6').contextLength).toBe(500_000);
    await write('2099-01-01', true);
    expect(find('xai', 'grok-4.6').contextLength).toBe(500_000);
  });
});
