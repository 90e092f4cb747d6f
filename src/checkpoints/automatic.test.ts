import { describe, expect, it } from 'vitest';
import { fullDoseOnly } from '../../test/support/dose.ts';
import { CheckpointsOff } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { openTestDirectory } from './checkpoints.fixture.ts';

const automatic = { automatic: true };
const DAY_MS = 24 * 60 * 60 * 1000;

async function offReason(taking: Promise<unknown>): Promise<[string, boolean]> {
  const thrown: unknown = await taking.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof CheckpointsOff)) throw new Error(`not off: ${String(thrown)}`);
  return [thrown.message, thrown.silent];
}

describe('automatic checkpoints', () => {
  it('are taken where they are quick', async () => {
    await using project = openTestDirectory({ 'a.txt': '1' });
    const checkpoints = await project.open({ automaticCostMs: Number.POSITIVE_INFINITY, automaticTimeoutMs: 60_000 });
    for (const content of ['2', '3', '4', '5', '6']) {
      await checkpoints.take('x', automatic);
      project.write('a.txt', content);
    }
    expect(await checkpoints.list()).toHaveLength(5);
  });

  it('are turned off after several slow ones, reported once, and tried again after a week', fullDoseOnly, async () => {
    await using project = openTestDirectory({ 'a.txt': '1' });
    const clock = createFakeClock();
    const open = () => project.open({ automaticCostMs: -1, automaticTimeoutMs: 60_000, clock });
    // The first one stores all files and does not count; then three slow ones follow.
    for (let count = 0; count < 4; count += 1) await (await open()).take('x', automatic);
    const [message, silent] = await offReason((await open()).take('x', automatic));
    expect(message).toMatch(/^Checkpoints are off in this directory: taking one took \d+ ms \(limit: -1 ms\)\.$/);
    expect(silent).toBe(false);
    expect(await offReason((await open()).take('x', automatic))).toEqual([message, true]);
    // A checkpoint that the user asked for is always taken.
    await (await open()).take('x');
    await clock.sleep(8 * DAY_MS);
    await (await open()).take('x', automatic);
  });

  it('are turned off in a directory with many files', async () => {
    await using project = openTestDirectory({ 'a.txt': '1', 'b.txt': '1', 'c.txt': '1' });
    const checkpoints = await project.open({ maxFiles: 2, automaticTimeoutMs: 60_000 });
    expect(await offReason(checkpoints.take('x', automatic))).toEqual([
      'Checkpoints are off in this directory: it has more than 2 files.',
      false,
    ]);
    expect((await offReason(checkpoints.take('x', automatic)))[1]).toBe(true);
  });
});
