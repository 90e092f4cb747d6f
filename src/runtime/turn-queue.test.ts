import { describe, expect, it } from 'vitest';
import type { SessionLease } from './session-lease.ts';
import { createTurnQueue } from './turn-queue.ts';

const turn = { signal: new AbortController().signal, storedChanged: false, token: 't', previousToken: undefined };
const holdNothing: SessionLease = {
  hold: (_id, _surface, task) => task(turn),
  continueSession: () => undefined,
  forget: () => undefined,
};

describe('createTurnQueue', () => {
  it('runs one task per session at a time, in order, and sessions in parallel', async () => {
    const queue = createTurnQueue(holdNothing);
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const one = queue.run('a', 'cli', async () => {
      seen.push('a1 starts');
      await first.promise;
      seen.push('a1 ends');
    });
    const two = queue.run('a', 'cli', async () => void seen.push('a2'));
    await queue.run('b', 'cli', async () => void seen.push('b1'));
    first.resolve();
    await Promise.all([one, two]);
    expect(seen).toEqual(['a1 starts', 'b1', 'a1 ends', 'a2']);
  });

  it('moves waiting tasks to the child of a split without letting others overtake', async () => {
    const held: string[] = [];
    const queue = createTurnQueue({
      hold(id, _surface, task) {
        held.push(id);
        return task(turn);
      },
      forget: () => undefined,
      continueSession: (...ids) => void held.push(ids.join(' → ')),
    });
    const order: number[] = [];
    const [split, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = queue.run('a', 'cli', async () => {
      queue.continueSession('a', 'b');
      split.resolve();
      await end.promise;
      order.push(1);
    });
    const waiting = queue.run('a', 'cli', async () => void order.push(2));
    await split.promise;
    const later = ['b', 'a'].map((id, index) => queue.run(id, 'cli', async () => void order.push(3 + index)));
    end.resolve();
    await Promise.all([first, waiting, ...later]);
    expect(order).toEqual([1, 2, 3, 4]);
    expect(held).toEqual(['a', 'a → b', 'b', 'b', 'b']);
    await queue.run('a', 'cli', async () => undefined);
    expect(held.at(-1)).toBe('a');
  });

  it('continues after a failed task', async () => {
    const queue = createTurnQueue(holdNothing);
    const failing = queue.run('a', 'cli', () => Promise.reject(new Error('no')));
    const next = queue.run('a', 'cli', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
  });
});
