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
    let over = false;
    const wait = systemClock.sleep(2 ** 40, controller.signal).then(() => {
      over = true;
    });
    await systemClock.sleep(5);
    expect(over).toBe(false);
    controller.abort(new Error('enough'));
    await expect(wait).rejects.toThrow('enough');
  });
});
