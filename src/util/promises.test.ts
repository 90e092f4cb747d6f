import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { abortable, endsWithin, pinnedLookup, withinTime } from './index.ts';
import { backOffDelay, createSemaphore } from './promises.ts';

const never = () => new Promise<never>(() => undefined);
const LONG_MS = 600_000;

describe('what is waited for with an end', () => {
  it('says whether it ended, in whatever way', async () => {
    expect(await endsWithin(Promise.resolve(1), LONG_MS)).toBe(true);
    expect(await endsWithin(Promise.reject(new Error('no')), LONG_MS)).toBe(true);
    expect(await endsWithin(never(), 1)).toBe(false);
  });

  it('is given back as it came, or fails with a reason', async () => {
    expect(await withinTime(Promise.resolve(7), LONG_MS)).toBe(7);
    await expect(withinTime(Promise.reject(new Error('its own')), LONG_MS)).rejects.toThrow('its own');
    await expect(withinTime(never(), 1)).rejects.toThrow('no answer within 1 seconds');
    await expect(withinTime(never(), 1, () => new Error('too late'))).rejects.toThrow('too late');
  });

  it('is waited for until a signal, and what becomes of it then is nobody’s', async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(7), signal)).toBe(7);
    expect(await abortable(Promise.resolve(7), undefined)).toBe(7);
    const stop = new AbortController();
    const work = Promise.withResolvers<void>();
    const waiting = abortable(work.promise, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(abortable(work.promise, stop.signal)).rejects.toThrow('enough');
    // Nobody listens any more, which a failure must not be held against.
    work.reject(new Error('late'));
    await expect(work.promise).rejects.toThrow('late');
  });
});

it('leads a connection to the addresses that were looked at, in both forms in which it asks', async () => {
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
  it('runs at most so many at once, in the order they came, and survives failures', async () => {
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

verifies('CALL-3', 'waits double from 2 s on and never pass 60 s, whatever chance adds', () => {
  expect([1, 2, 3].map((attempt) => backOffDelay(attempt, BACK_OFF, () => 0))).toEqual([2_000, 4_000, 8_000]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
      const delay = backOffDelay(attempt, BACK_OFF, () => chance);
      expect(delay).toBeGreaterThanOrEqual(Math.min(2_000 * 2 ** (attempt - 1), 60_000));
      expect(delay).toBeLessThanOrEqual(60_000);
    }),
  );
});
