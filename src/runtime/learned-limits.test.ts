import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';
import { silentLogger } from '../contracts/index.ts';
import { createFakeClock, createTemporaryHome } from '../testing/index.ts';
import { createLearnedLimits } from './learned-limits.ts';

const owner = (model: string) => ({ provider: 'p', model, baseUrl: 'http://127.0.0.1/v1' });

async function openHome() {
  const home = await createTemporaryHome();
  onTestFinished(() => home.remove());
  const clock = createFakeClock();
  const open = (name: 'windows' | 'outputLimits' = 'windows') =>
    createLearnedLimits({ home: home.path, name, clock, logger: silentLogger });
  const file = join(home.path, 'cache', 'models', 'learnt-windows.json');
  return { clock, open, file };
}

describe('learned limits', () => {
  verifies('CALL-5', 'are saved privately across restarts, per model and base URL', async () => {
    const { open, file } = await openHome();
    const first = open();
    expect(first.find(owner('a'))).toBeUndefined();
    first.learn(owner('a'), 8_192);
    first.learn(owner('a'), 4_096);
    expect(first.find(owner('a'))).toBe(4_096);
    await first.settled();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const later = open();
    expect(later.find(owner('a'))).toBe(4_096);
    for (const other of [{ provider: 'q' }, { model: 'b' }, { baseUrl: 'http://elsewhere/v1' }]) {
      expect(later.find({ ...owner('a'), ...other })).toBeUndefined();
    }
  });

  verifies('CALL-7', 'of windows and of output are separate', async () => {
    const { open } = await openHome();
    const limits = open('outputLimits');
    limits.learn(owner('a'), 16_000);
    await limits.settled();
    expect(open('outputLimits').find(owner('a'))).toBe(16_000);
    expect(open('windows').find(owner('a'))).toBeUndefined();
  });

  it('expire after a month, because servers change', async () => {
    const { clock, open } = await openHome();
    const windows = open();
    windows.learn(owner('a'), 4_096);
    clock.advance(29 * 24 * 3_600_000);
    expect(windows.find(owner('a'))).toBe(4_096);
    clock.advance(2 * 24 * 3_600_000);
    expect(windows.find(owner('a'))).toBeUndefined();
    await windows.settled();
  });

  verifies('BOUND-1', 'are limited to the 200 newest of all processes', fullDoseOnly, async () => {
    const { clock, open, file } = await openHome();
    const [one, two] = [open(), open()];
    for (let index = 0; index < 210; index += 1) {
      (index % 2 === 0 ? one : two).learn(owner(`m${index}`), 1_000 + index);
      clock.advance(1_000);
    }
    await Promise.all([one.settled(), two.settled()]);
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')) as object)).toHaveLength(200);
    const later = open();
    expect([later.find(owner('m9')), later.find(owner('m10'))]).toEqual([undefined, 1_010]);
  });

  verifies('BOUND-2', 'ignore a file with other content', async () => {
    const { open, file } = await openHome();
    await mkdir(join(file, '..'), { recursive: true });
    const content = fc.oneof(fc.json(), fc.string(), fc.constant('{"p a http://127.0.0.1/v1":{"tokens":"8","at":0}}'));
    await fc.assert(
      fc.asyncProperty(content, async (text) => {
        await writeFile(file, text);
        expect(open().find(owner('a'))).toBeUndefined();
      }),
      { numRuns: 50 },
    );
    const windows = open();
    windows.learn(owner('a'), 9);
    await windows.settled();
    expect(open().find(owner('a'))).toBe(9);
  });
});
