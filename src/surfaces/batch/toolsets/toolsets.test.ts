import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { availablePart, chooseDistribution, DISTRIBUTIONS, sampleToolsets } from './distributions.ts';

describe('drawing tool sets', () => {
  it('is determined by the seed and the prompt, respects the probabilities, and is never empty', () => {
    const distribution = { terminal: 75, web: 20, never: 0, always: 100 };
    const draws = Array.from({ length: 2000 }, (_, index) =>
      sampleToolsets(distribution, { seed: 1, key: `${index}` }),
    );
    const share = (name: string) => draws.filter((sets) => sets.includes(name)).length / draws.length;
    expect(share('terminal')).toBeCloseTo(0.75, 1);
    expect(share('web')).toBeCloseTo(0.2, 1);
    expect([share('never'), share('always')]).toEqual([0, 1]);
    expect(sampleToolsets(distribution, { seed: 1, key: '7' })).toEqual(draws[7]);
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.integer({ min: 1, max: 100 }), { minKeys: 1 }),
        fc.string(),
        (odd, key) => {
          expect(sampleToolsets(odd, { seed: 0, key }).length).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('resolves built-in names and user files', async () => {
    expect(Object.keys(DISTRIBUTIONS)).toEqual(
      expect.arrayContaining(['default', 'image_gen', 'research', 'science', 'development', 'safe']),
    );
    const folder = await mkdtemp(join(tmpdir(), 'hermes-sets-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'mine.json'), '{"terminal": 100, "web": 40.5}');
    expect(await chooseDistribution('mine.json', folder)).toEqual({ terminal: 100, web: 40.5 });
    for (const wrong of ['[]', '{}', '{"web": "often"}', '{"web": 101}', '{"web": -1}', 'web']) {
      await writeFile(join(folder, 'mine.json'), wrong);
      await expect(chooseDistribution('mine.json', folder), wrong).rejects.toThrow('mine.json is invalid');
    }
    await expect(chooseDistribution('reserch', folder)).rejects.toThrow('Unknown distribution "reserch".');
    await expect(chooseDistribution('./none.json', folder)).rejects.toThrow('Cannot read');
  });

  it('skips unavailable tool sets', () => {
    const sets = [
      { name: 'terminal', state: 'on' },
      { name: 'web', state: 'partly on' },
      { name: 'vision', state: 'unavailable' },
    ];
    expect(availablePart({ vision: 50, terminal: 100, web: 1, browser: 5 }, sets)).toEqual({
      distribution: { terminal: 100, web: 1 },
      missing: ['vision', 'browser'],
    });
    expect(() => availablePart({ vision: 50 }, sets)).toThrow(
      'None of the tool sets in the distribution is available: vision.',
    );
  });
});
