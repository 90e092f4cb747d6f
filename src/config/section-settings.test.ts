import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { loadSettings } from './index.ts';
import { readBrowserSettings } from './section-settings.ts';
import { DEFAULT_BROWSER } from './settings.ts';

describe('browser.*', () => {
  it('has defaults, and treats an empty string as not set', () => {
    expect(readBrowserSettings(undefined, {})).toEqual(DEFAULT_BROWSER);
    expect(readBrowserSettings({ cdp_url: '', executable_path: '' }, { BROWSER_CDP_URL: '' })).toEqual(DEFAULT_BROWSER);
  });

  it('is read from the file before the variables', () => {
    const variables = { BROWSER_CDP_URL: 'http://v:1', AGENT_BROWSER_EXECUTABLE_PATH: '/v' };
    expect(readBrowserSettings({}, variables)).toMatchObject({ cdpUrl: 'http://v:1', executable: '/v' });
    const file = { cdp_url: 'http://f:1', executable_path: '/f', headed: true, sandbox: false, inactivity_timeout: 5 };
    expect(
      readBrowserSettings({ ...file, enabled: false, allow_private_urls: true, command_timeout: 9 }, variables),
    ).toEqual({
      enabled: false,
      cdpUrl: 'http://f:1',
      executable: '/f',
      headed: true,
      sandbox: false,
      allowPrivate: true,
      idleSeconds: 5,
      commandSeconds: 9,
    });
  });
});

describe('compression.* and context.engine', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'hermes-compression-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function load(config: string) {
    await writeFile(join(home, 'config.yaml'), config);
    return loadSettings({ home, env: {} });
  }

  verifies('CTX-2', 'have defaults and are read', async () => {
    const defaults = {
      enabled: true,
      maxTokens: 160_000,
      targetRatio: 0.2,
      clearAt: 0.6,
      protectLastN: 20,
      protectFirstN: 3,
    };
    const { compression, contextEngine } = await loadSettings({ home, env: {} });
    expect(compression).toEqual({ ...defaults, threshold: undefined });
    expect(contextEngine).toBeUndefined();
    const file =
      'compression: {enabled: false, threshold: 1, max_tokens: 90000, target_ratio: 0.8, clear_at: 1, protect_last_n: 1, protect_first_n: 1}\ncontext: {engine: lossless}\n';
    expect(await load(file)).toMatchObject({
      compression: {
        enabled: false,
        threshold: 1,
        maxTokens: 90_000,
        targetRatio: 0.8,
        clearAt: 1,
        protectLastN: 1,
        protectFirstN: 1,
      },
      contextEngine: 'lossless',
    });
  });

  verifies('CTX-2', 'out of range cause an error with file, key and range', async () => {
    for (const [key, values, range] of [
      ['threshold', [0, -1, 1.01, '"half"'], 'a number above 0 and at most 1'],
      ['max_tokens', [999, 20_000.5, '"1M"'], 'a whole number of tokens, 1000 or more'],
      ['target_ratio', [0.09, 0.81, 'true'], 'a number from 0.1 to 0.8'],
      ['clear_at', [0, 1.1], 'a number above 0 and at most 1, a share of the threshold'],
      ['protect_last_n', [0, 1.5, -3], 'a whole number of messages, 1 or more'],
      ['protect_first_n', [0, 2.5], 'a whole number of messages, 1 or more'],
      ['enabled', ['"sometimes"'], 'true or false'],
    ] as const) {
      for (const value of values) {
        const failure = await load(`compression:\n  ${key}: ${value}\n`).catch((thrown: Error) => thrown.message);
        expect(failure).toContain(join(home, 'config.yaml'));
        expect(failure).toContain(`compression.${key} must be ${range}`);
      }
    }
  });
});
