import { describe, expect, it } from 'vitest';
import type { HoldSession } from './session-lease.ts';
import { createTurnQueue } from './turn-queue.ts';

const holdNothing: HoldSession = (_id, task) => task({ signal: new AbortController().signal, storedChanged: false });

describe('createTurnQueue', () => {
  it('runs one task of a session at a time, in order, and others beside it', async () => {
    const queue = createTurnQueue(holdNothing);
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const one = queue.run('a', async () => {
      seen.push('a1 starts');
      await first.promise;
      seen.push('a1 ends');
    });
    const two = queue.run('a', async () => void seen.push('a2'));
    await queue.run('b', async () => void seen.push('b1'));
    first.resolve();
    await Promise.all([one, two]);
    expect(seen).toEqual(['a1 starts', 'b1', 'a1 ends', 'a2']);
  });

  it('goes on after a task that failed', async () => {
    const queue = createTurnQueue(holdNothing);
    const failing = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
  });
});
