import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import { factsSourceOf } from './facts-source.ts';
import { findProvider } from './find-provider.ts';

const sourceOf = (provider: string, baseUrl: string, settings: Partial<Settings> = {}, choice: ModelChoice = {}) => {
  const all = { home: '/home', customProviders: [], ...settings } as unknown as Settings;
  return factsSourceOf(all, findProvider(all, provider), choice, { model: 'm', baseUrl });
};

describe('who knows a model', () => {
  verifies('CALL-11', 'prices are those of the service at the address, whatever it is called', () => {
    const service = (provider: string, baseUrl: string, settings?: Partial<Settings>) =>
      sourceOf(provider, baseUrl, settings).service;
    expect(service('anthropic', 'https://api.anthropic.com')).toBe('anthropic');
    expect(service('anthropic', 'https://proxy.example')).toBeUndefined();
    expect(service('custom', 'https://api.deepseek.com/v1')).toBe('deepseek');
    expect(service('custom', 'https://lab.example/v1')).toBeUndefined();
    // An endpoint of one's own may have a provider's name.
    const customProviders = [{ name: 'openai', baseUrl: 'https://lab.example/v1' }];
    expect(service('openai', 'https://lab.example/v1', { customProviders })).toBeUndefined();
  });

  verifies('PROV-10', 'what was written nearer to the choice counts more', () => {
    const lab = { name: 'lab', baseUrl: 'https://lab.example/v1', contextLength: 1 };
    const written = (settings: Partial<Settings>, choice?: ModelChoice) =>
      sourceOf('lab', lab.baseUrl, settings, choice).written.contextLength;
    const named = { customProviders: [{ ...lab, models: { m: { contextLength: 2 }, other: { contextLength: 9 } } }] };
    expect(written({ customProviders: [lab] })).toBe(1);
    expect(written(named)).toBe(2);
    const plain = { ...named, modelOverrides: { m: { contextLength: 3 } } };
    expect(written(plain)).toBe(3);
    expect(written({ ...named, modelOverrides: { ...plain.modelOverrides, 'lab/m': { contextLength: 4 } } })).toBe(4);
    expect(written(plain, { contextLength: 5 })).toBe(5);
  });
});
