import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../base/index.ts';
import type { Interaction } from '../contracts/index.ts';
import { createWorkTime } from './index.ts';

const request = { toolName: 'terminal', subject: 'x', reasons: [] };
const tenSeconds = () => createWorkTime(10_000, systemClock, () => new Error('over'));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends when the time of the work is over, and not before', async () => {
  const time = tenSeconds();
  await vi.advanceTimersByTimeAsync(60_000);
  void time.during(() => new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(9_999);
  expect([time.isOver(), time.signal.aborted]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([time.isOver(), (time.signal.reason as Error).message]).toEqual([true, 'over']);
});

it('stands still while the person is asked, however many questions there are', async () => {
  const answers = [Promise.withResolvers<'once'>(), Promise.withResolvers<'once'>()] as const;
  let asked = 0;
  const person: Interaction = {
    approve: () => answers[asked++ as 0 | 1].promise,
    clarify: async () => undefined,
  };
  const time = tenSeconds();
  void time.during(() => new Promise(() => undefined));
  const patient = time.patient(person);
  await vi.advanceTimersByTimeAsync(6_000);
  const both = [patient.approve(request), patient.approve(request)];
  await vi.advanceTimersByTimeAsync(60_000);
  answers[0].resolve('once');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(time.isOver()).toBe(false);
  answers[1].resolve('once');
  expect(await Promise.all(both)).toEqual(['once', 'once']);
  await vi.advanceTimersByTimeAsync(3_999);
  expect(time.isOver()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(time.isOver()).toBe(true);
});

it('ends for good with the work, also where somebody is still asked', async () => {
  const time = tenSeconds();
  const patient = time.patient({ approve: () => new Promise(() => undefined), clarify: async () => undefined });
  expect(await time.during(async () => 'done')).toBe('done');
  void patient.approve(request);
  await vi.advanceTimersByTimeAsync(20_000);
  expect([time.isOver(), vi.getTimerCount()]).toEqual([false, 0]);
});
