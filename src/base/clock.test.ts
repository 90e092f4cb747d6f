import { describe, expect, it } from 'vitest';
import { startTimer, systemClock } from './clock.ts';

describe('the system clock', () => {
  it('rejects immediately when the signal is aborted, before or during the wait', async () => {
    const controller = new AbortController();
    const wait = systemClock.sleep(60_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(wait).rejects.toThrow('enough');
    await expect(systemClock.sleep(60_000, controller.signal)).rejects.toThrow('enough');
  });

  it('does not return immediately from a very long wait', async () => {
    const controller = new AbortController();
    const wait = systemClock.sleep(2 ** 40, controller.signal);
    const first = await Promise.race([wait.then(() => 'long'), systemClock.sleep(5).then(() => 'short')]);
    expect(first).toBe('short');
    controller.abort(new Error('enough'));
    await expect(wait).rejects.toThrow('enough');
  });
});

describe('a timer', () => {
  it('measures a duration even if the system time is set back', () => {
    const times = [5_000_000, 4_000_000];
    let passed = 100.2;
    const clock = { ...systemClock, now: () => times.shift() ?? 0, monotonic: () => (passed += 250.4) };
    const elapsed = startTimer(clock);
    expect(elapsed()).toBe(250);
    expect(elapsed()).toBe(501);
  });

  it('uses the time of a clock that has no other', () => {
    let now = 1000;
    const elapsed = startTimer({ now: () => now, sleep: systemClock.sleep });
    now += 30;
    expect(elapsed()).toBe(30);
  });

  it('never goes back', () => {
    const before = systemClock.monotonic?.() ?? 0;
    expect(systemClock.monotonic?.()).toBeGreaterThanOrEqual(before);
  });
});
