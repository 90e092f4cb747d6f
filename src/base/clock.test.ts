import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.ts';

describe('the system clock', () => {
  it('ends a wait at once when it is aborted, before or during it', async () => {
    const controller = new AbortController();
    const wait = systemClock.sleep(60_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(wait).rejects.toThrow('enough');
    await expect(systemClock.sleep(60_000, controller.signal)).rejects.toThrow('enough');
  });

  it('does not take a very long wait for none', async () => {
    const controller = new AbortController();
    const wait = systemClock.sleep(2 ** 40, controller.signal);
    const first = await Promise.race([wait.then(() => 'long'), systemClock.sleep(5).then(() => 'short')]);
    expect(first).toBe('short');
    controller.abort(new Error('enough'));
    await expect(wait).rejects.toThrow('enough');
  });
});
