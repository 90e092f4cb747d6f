import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ConfigurationError } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { Credential } from '../contracts/index.ts';
import { choicesOfTask } from './auxiliary-routes.ts';
import { choosePrimary } from './choose-provider.ts';
import { toEndpoint } from './endpoint.ts';
import { PROVIDERS } from './provider-table.ts';
import { fallbacksOf } from './shared-key.ts';
import { endpointOf, settingsWith } from './settings.test-helper.ts';

const VARIABLES = [...new Set([...PROVIDERS.flatMap((row) => row.keyVariables), 'LAB_KEY'])];
const WEB_ROWS = PROVIDERS.filter((row) => row.baseUrl?.startsWith('http') === true);
const NAMES = [...PROVIDERS.flatMap((row) => [row.id, ...(row.aliases ?? [])]), 'lab', 'custom:lab'];
const LAB = { name: 'lab', baseUrl: 'https://lab.example/v1', keyVariable: 'LAB_KEY' };

const ADDRESSES = [
  ...WEB_ROWS.map((row) => row.baseUrl as string),
  'https://lab.example/v1',
  'https://elsewhere.example/v1',
  'https://openrouter.ai.evil.example/api/v1',
  'https://openrouter.ai:8443/api/v1',
  'http://127.0.0.1:9/v1',
  'https://evil.example/https://api.openai.com/v1',
];

/** Which keys may be sent to a host, implemented independently of the code under test. */
function keysFor(host: string, provider: string, isFallback = false): Set<string> {
  const owners = WEB_ROWS.filter((row) => new URL(row.baseUrl as string).host === host);
  const allowed = owners.flatMap((row) => row.keyVariables);
  const isOwnChoice = ['custom', 'openai', 'openai-api', 'lab', 'custom:lab'].includes(provider);
  if (owners.length === 0 && isOwnChoice && !isFallback) allowed.push('OPENAI_API_KEY');
  if (host === 'lab.example' && provider.endsWith('lab')) allowed.push('LAB_KEY');
  return new Set(allowed);
}

const settingsWithKeys = (names: readonly string[], changes: Partial<Settings> = {}) =>
  settingsWith({
    variables: Object.fromEntries(names.map((name) => [name, `secret-of-${name}`])),
    customProviders: [LAB],
    ...changes,
  });

function credentialOf(find: () => { credential: Credential | undefined }): Credential | undefined {
  try {
    return find().credential;
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return undefined;
    throw thrown;
  }
}

function expectOwnKey(credential: Credential | undefined, baseUrl: string, provider: string, isFallback = false): void {
  if (credential === undefined) return;
  const { host } = new URL(baseUrl);
  expect(credential.hosts).toEqual([host]);
  expect(keysFor(host, provider, isFallback)).toContain(credential.secret.replace('secret-of-', ''));
}

describe('keys and hosts', () => {
  verifies('PROV-4', 'a credential is always a key of the host it is sent to', () => {
    const keys = fc.subarray(VARIABLES, { minLength: 1 });
    const chosen = fc.record({ keys, name: fc.constantFrom(...NAMES), address: fc.constantFrom(...ADDRESSES) });
    fc.assert(
      fc.property(chosen, fc.boolean(), ({ keys: set, name, address }, isFallback) => {
        const choice: ModelChoice & { provider: string } = { provider: name, model: 'm', baseUrl: address };
        const settings = settingsWithKeys(set, isFallback ? {} : { model: choice });
        const find = () => (isFallback ? toEndpoint(settings, choice) : endpointOf(settings));
        expectOwnKey(credentialOf(find), address, name, isFallback);
      }),
      { numRuns: 2_000 },
    );
  });

  verifies('PROV-4', 'no base URL in the environment sends a key to a foreign host', () => {
    fc.assert(
      fc.property(fc.subarray(VARIABLES), fc.constantFrom(...ADDRESSES), (set, address) => {
        const settings = settingsWithKeys(set, { model: { model: 'm' } });
        const exported = { ...settings, variables: { ...settings.variables, OPENAI_BASE_URL: address } };
        expectOwnKey(
          credentialOf(() => endpointOf(exported)),
          address,
          'custom',
        );
      }),
      // Most sets of keys have none for a custom endpoint.
      { numRuns: 2_000 },
    );
  });

  verifies('PROV-4', 'every key of every provider reaches its own host, even if all others are set too', () => {
    for (const row of WEB_ROWS) {
      for (const variable of row.keyVariables) {
        const others = VARIABLES.filter((name) => !row.keyVariables.includes(name));
        const settings = settingsWithKeys([...others, variable]);
        const { credential } = endpointOf(settings, { provider: row.id, model: 'm' });
        expect([row.id, credential]).toMatchObject([
          row.id,
          { secret: `secret-of-${variable}`, hosts: [new URL(row.baseUrl as string).host] },
        ]);
      }
    }
  });

  verifies(
    'PROV-4',
    'OPENAI_API_KEY goes to a custom endpoint only if the user chose it as the primary model',
    async () => {
      const lab = { name: 'lab', baseUrl: 'https://lab.example/v1' };
      const other = { name: 'other', baseUrl: 'https://other.example/v1' };
      const choose = (provider: string): ModelChoice & { provider: string; model: string } => ({
        provider,
        model: 'm',
      });
      const settings = settingsWith({
        variables: { OPENAI_API_KEY: 'shared' },
        customProviders: [lab, other],
        model: choose('lab'),
        fallbacks: [
          choose('other'),
          choose('custom:lab'),
          { ...choose('custom'), baseUrl: 'https://third.example/v1' },
        ],
        auxiliary: {
          compression: {
            choice: choose('other'),
            fallbacks: [choose('lab')],
            timeoutSeconds: undefined,
            enabled: true,
          },
        },
      });
      const keyOf = (choice: ModelChoice & { provider: string }) => toEndpoint(settings, choice).credential?.secret;
      const primary = choosePrimary(settings, {});
      expect(primary && keyOf(primary)).toBe('shared');
      expect(fallbacksOf(settings, primary).map(keyOf)).toEqual([undefined, 'shared', undefined]);
      expect(choicesOfTask(settings, 'compression', primary).map(keyOf)).toEqual([undefined, 'shared']);
      // The user may still choose the other endpoint on the command line or with /model.
      const chosen = choosePrimary(settings, { provider: 'other', model: 'm' });
      expect(chosen && keyOf(chosen)).toBe('shared');
      expect(fallbacksOf(settings, chosen).map(keyOf)).toEqual(['shared', undefined, undefined]);
      // A key of its own is used anywhere.
      expect(keyOf({ ...choose('other'), apiKey: 'own' })).toBe('own');
    },
  );

  it('distinguishes providers on one host by their path', () => {
    const settings = settingsWithKeys(VARIABLES);
    const keyAt = (baseUrl: string) =>
      toEndpoint(settings, { provider: 'custom', model: 'm', baseUrl }).credential?.secret;
    expect(keyAt('https://opencode.ai/zen/v1')).toBe('secret-of-OPENCODE_ZEN_API_KEY');
    expect(keyAt('https://opencode.ai/zen/go/v1')).toBe('secret-of-OPENCODE_GO_API_KEY');
  });
});
