import { describe, expect, it } from 'vitest';
import { createSemaphore } from './semaphore.ts';

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
