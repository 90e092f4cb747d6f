import { expect, it } from 'vitest';
import { createFakeClock } from './fake-clock.ts';

it('ends a sleep immediately, advances the time and records the sleep', async () => {
  const clock = createFakeClock(1000);
  await clock.sleep(60_000);
  await clock.sleep(5);
  expect(clock.sleeps).toEqual([60_000, 5]);
  clock.advance(10);
  expect(clock.now()).toBe(61_015);
});

it('rejects with the reason of a signal that is aborted before or during the sleep', async () => {
  const clock = createFakeClock(0);
  await expect(clock.sleep(5, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  const controller = new AbortController();
  const sleeping = clock.sleep(5, controller.signal);
  controller.abort(new Error('during'));
  await expect(sleeping).rejects.toThrow('during');
  expect(clock.sleeps).toEqual([5]);
  expect(clock.now()).toBe(0);
});
