import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { loadSettings } from './index.ts';

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

  verifies('CTX-2', 'have defaults, and are read', async () => {
    const defaults = { enabled: true, threshold: 0.5, targetRatio: 0.2, protectLastN: 20, protectFirstN: 3 };
    expect(await loadSettings({ home, env: {} })).toMatchObject({ compression: defaults, contextEngine: undefined });
    const file =
      'compression: {enabled: false, threshold: 1, target_ratio: 0.8, protect_last_n: 1, protect_first_n: 1}\ncontext: {engine: lossless}\n';
    expect(await load(file)).toMatchObject({
      compression: { enabled: false, threshold: 1, targetRatio: 0.8, protectLastN: 1, protectFirstN: 1 },
      contextEngine: 'lossless',
    });
  });

  verifies('CTX-2', 'out of range are an error with file, key and range', async () => {
    for (const [key, values, range] of [
      ['threshold', [0, -1, 1.01, '"half"'], 'a number above 0 and at most 1'],
      ['target_ratio', [0.09, 0.81, 'true'], 'a number from 0.1 to 0.8'],
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
