import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Interaction } from '../../contracts/index.ts';
import { startScriptTime } from './script-time.ts';

const request = { toolName: 'terminal', subject: 'x', reasons: [] };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends when the time is over, and not before', async () => {
  const time = startScriptTime(10, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(9_999);
  expect([time.isOver(), time.signal.aborted]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([time.isOver(), time.signal.aborted]).toEqual([true, true]);
});

it('stands still while the person is asked, however many questions there are', async () => {
  const answers = [Promise.withResolvers<'once'>(), Promise.withResolvers<'once'>()] as const;
  let asked = 0;
  const person: Interaction = {
    approve: () => answers[asked++ as 0 | 1].promise,
    clarify: async () => undefined,
  };
  const time = startScriptTime(10, new AbortController().signal);
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

it('tells an interrupt from the end of the time, and ends for good', async () => {
  const stop = new AbortController();
  const time = startScriptTime(10, stop.signal);
  stop.abort();
  expect([time.signal.aborted, time.isOver()]).toEqual([true, false]);
  time.end();
  await vi.advanceTimersByTimeAsync(20_000);
  expect([time.isOver(), vi.getTimerCount()]).toEqual([false, 0]);
});
