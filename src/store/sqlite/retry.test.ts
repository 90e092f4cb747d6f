import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HermesError } from '../../base/index.ts';
import { retryWhileBusy } from './retry.ts';

afterEach(() => vi.useRealTimers());

const busy = () => Object.assign(new Error('database is locked'), { errcode: 5 });

/** Throws "busy" this many times, then succeeds. */
function busyTimes(count: number, each = () => {}) {
  let tries = 0;
  return () => {
    tries += 1;
    each();
    if (tries <= count) throw busy();
    return tries;
  };
}

describe('waiting for other processes', () => {
  verifies('STORE-2', 'retries until the lock is free, whatever the system clock does', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    for (const jump of [3_600_000, -3_600_000]) {
      const operation = busyTimes(3, () => vi.setSystemTime(Date.now() + jump));
      expect(await retryWhileBusy(operation, { file: 'x', budgetMs: 20_000 })).toBe(4);
    }
  });

  verifies('STORE-2', 'fails with the file and a hint, and never with the message of the database', async () => {
    const context = { file: '/home/state.db', budgetMs: 1000, startedAt: performance.now() - 1000 };
    const failure = await retryWhileBusy(busyTimes(Infinity), context).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(HermesError);
    expect((failure as HermesError).message).toMatch(/kept the session database \/home\/state\.db .* more than 1 s/);
    expect((failure as HermesError).message).not.toContain('locked');
    expect((failure as HermesError).hint).toContain('fuser /home/state.db');
  });

  it('tries at least once, and passes on errors that waiting does not solve', async () => {
    const context = { file: 'x', budgetMs: 0 };
    expect(await retryWhileBusy(() => 'done', context)).toBe('done');
    const fail = () => {
      throw new TypeError('a fault');
    };
    await expect(retryWhileBusy(fail, context)).rejects.toThrow(TypeError);
  });
});
