import { describe, expect, it } from 'vitest';
import { abortable, endsWithin, pinnedLookup, withinTime } from './index.ts';

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
    ...[null],
    [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ],
  ]);
});
