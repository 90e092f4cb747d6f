import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Clock, systemClock } from '../base/index.ts';
import type { Interaction } from '../contracts/index.ts';
import { createWorkTime } from './index.ts';

const request = { toolName: 'terminal', subject: 'x', reasons: [] };
const tenSeconds = (clock: Clock = systemClock) => createWorkTime(10_000, clock, () => new Error('over'));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('aborts when the working time is used up, and not before', async () => {
  const time = tenSeconds();
  await vi.advanceTimersByTimeAsync(60_000);
  void time.run(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(9_999);
  expect([time.isExpired(), time.signal.aborted]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([time.isExpired(), (time.signal.reason as Error).message]).toEqual([true, 'over']);
});

it('pauses while the user is asked, however many questions are open', async () => {
  const answers = [Promise.withResolvers<'once'>(), Promise.withResolvers<'once'>()] as const;
  let asked = 0;
  const person: Interaction = {
    approve: () => answers[asked++ as 0 | 1].promise,
    clarify: async () => undefined,
  };
  const time = tenSeconds();
  void time.run(() => new Promise(() => undefined));
  const patient = time.pauseWhileAsking(person);
  await vi.advanceTimersByTimeAsync(6_000);
  const both = [patient.approve(request), patient.approve(request)];
  await vi.advanceTimersByTimeAsync(60_000);
  answers[0].resolve('once');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(time.isExpired()).toBe(false);
  answers[1].resolve('once');
  expect(await Promise.all(both)).toEqual(['once', 'once']);
  await vi.advanceTimersByTimeAsync(3_999);
  expect(time.isExpired()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(time.isExpired()).toBe(true);
});

it('stops with the work, even if a question is still open', async () => {
  // Counted here, because other tests may have pending timers.
  let sleeping = 0;
  const clock: Clock = {
    ...systemClock,
    sleep(ms, signal) {
      sleeping += 1;
      return systemClock.sleep(ms, signal).finally(() => (sleeping -= 1));
    },
  };
  const time = tenSeconds(clock);
  const patient = time.pauseWhileAsking({
    approve: () => new Promise(() => undefined),
    clarify: async () => undefined,
  });
  expect(await time.run(async () => 'done')).toBe('done');
  await vi.advanceTimersByTimeAsync(0);
  expect(sleeping).toBe(0);
  void patient.approve(request);
  await vi.advanceTimersByTimeAsync(20_000);
  expect([time.isExpired(), sleeping]).toEqual([false, 0]);
});
