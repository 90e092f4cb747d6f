import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import { factsSourceOf } from './facts-source.ts';
import { findProvider } from './find-provider.ts';

const sourceOf = (provider: string, baseUrl: string, settings: Partial<Settings> = {}, choice: ModelChoice = {}) => {
  const all = { home: '/home', customProviders: [], ...settings } as unknown as Settings;
  return factsSourceOf(all, findProvider(all, provider), choice, { model: 'm', baseUrl });
};

describe('the source of model facts', () => {
  verifies('CALL-11', 'determines prices by the service at the address, whatever its name', () => {
    const service = (provider: string, baseUrl: string, settings?: Partial<Settings>) =>
      sourceOf(provider, baseUrl, settings).service;
    expect(service('anthropic', 'https://api.anthropic.com')).toBe('anthropic');
    expect(service('anthropic', 'https://proxy.example')).toBeUndefined();
    expect(service('custom', 'https://api.deepseek.com/v1')).toBe('deepseek');
    expect(service('custom', 'https://lab.example/v1')).toBeUndefined();
    // A user-defined endpoint may have the name of a provider.
    const customProviders = [{ name: 'openai', baseUrl: 'https://lab.example/v1' }];
    expect(service('openai', 'https://lab.example/v1', { customProviders })).toBeUndefined();
  });

  verifies('PROV-10', 'prefers the more specific setting', () => {
    const lab = { name: 'lab', baseUrl: 'https://lab.example/v1', contextLength: 1 };
    const written = (settings: Partial<Settings>, choice?: ModelChoice) =>
      sourceOf('lab', lab.baseUrl, settings, choice).configured.contextLength;
    const named = { customProviders: [{ ...lab, models: { m: { contextLength: 2 }, other: { contextLength: 9 } } }] };
    expect(written({ customProviders: [lab] })).toBe(1);
    expect(written(named)).toBe(2);
    const plain = { ...named, modelOverrides: { m: { contextLength: 3 } } };
    expect(written(plain)).toBe(3);
    expect(written({ ...named, modelOverrides: { ...plain.modelOverrides, 'lab/m': { contextLength: 4 } } })).toBe(4);
    expect(written(plain, { contextLength: 5 })).toBe(5);
  });
});
