import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';

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
