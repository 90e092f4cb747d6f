import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { abortable, settlesWithin, pinnedLookup, withTimeout } from './index.ts';
import { backOffDelay, createSemaphore } from './promises.ts';

const never = () => new Promise<never>(() => undefined);
const LONG_MS = 600_000;

describe('waiting with a limit', () => {
  it('reports whether a promise settled in time', async () => {
    expect(await settlesWithin(Promise.resolve(1), LONG_MS)).toBe(true);
    expect(await settlesWithin(Promise.reject(new Error('no')), LONG_MS)).toBe(true);
    expect(await settlesWithin(never(), 1)).toBe(false);
  });

  it('returns the value, the promise’s own error, or a timeout error', async () => {
    expect(await withTimeout(Promise.resolve(7), LONG_MS)).toBe(7);
    await expect(withTimeout(Promise.reject(new Error('its own')), LONG_MS)).rejects.toThrow('its own');
    await expect(withTimeout(never(), 1)).rejects.toThrow('timed out after 1 s');
    await expect(withTimeout(never(), 1, () => new Error('too late'))).rejects.toThrow('too late');
  });

  it('rejects when the signal is aborted, and ignores the later outcome', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(7), signal)).toBe(7);
    expect(await abortable(Promise.resolve(7), undefined)).toBe(7);
    const stop = new AbortController();
    const work = Promise.withResolvers<void>();
    const waiting = abortable(work.promise, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(abortable(work.promise, stop.signal)).rejects.toThrow('enough');
    // Nothing awaits the promise any more, so its rejection must not count as unhandled.
    work.reject(new Error('late'));
    await expect(work.promise).rejects.toThrow('late');
  });
});

it('resolves a host name to the pinned addresses, in both forms that Node asks for', async () => {
  const lookup = pinnedLookup(['93.184.216.34', '2606:4700::1111']);
  const ask = (all: boolean) =>
    new Promise((resolve) => lookup('any.example', { all }, (...answer) => resolve(answer)));
  expect(await ask(false)).toEqual([null, '93.184.216.34', 4]);
  expect(await ask(true)).toEqual([
    null,
    [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ],
  ]);
});

describe('the semaphore', () => {
  it('limits concurrency, keeps the order of arrival, and survives failures', async () => {
    const semaphore = createSemaphore(2);
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const started: number[] = [];
    const work = gates.map((gate, index) =>
      semaphore.use(async () => {
        started.push(index);
        await gate.promise;
        if (index === 0) throw new Error('no');
        return index;
      }),
    );
    const all = Promise.allSettled(work);
    await Promise.resolve();
    expect(started).toEqual([0, 1]);
    gates[0]?.resolve();
    await expect(work[0]).rejects.toThrow('no');
    await new Promise(setImmediate);
    expect(started).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve();
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect(started).toEqual([0, 1, 2, 3]);
  });
});

const BACK_OFF = { baseMs: 2_000, maxMs: 60_000 };

verifies('CALL-3', 'back-off doubles from 2 s and never exceeds 60 s, with any jitter', () => {
  expect([1, 2, 3].map((attempt) => backOffDelay(attempt, BACK_OFF, () => 0))).toEqual([2_000, 4_000, 8_000]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
      const delay = backOffDelay(attempt, BACK_OFF, () => chance);
      expect(delay).toBeGreaterThanOrEqual(Math.min(2_000 * 2 ** (attempt - 1), 60_000));
      expect(delay).toBeLessThanOrEqual(60_000);
    }),
  );
});
