import type { Clock } from '../base/index.ts';

export type FakeClock = Clock & {
  /** The waits that were asked for, in milliseconds, oldest first. */
  readonly sleeps: readonly number[];
  /** Moves the time without a wait. */
  advance(milliseconds: number): void;
};

/** A clock whose waits are over at once: the time they would have taken has passed all the same. */
export function createFakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      sleeps.push(milliseconds);
      // One step later, so that whoever is to interrupt this wait gets the chance.
      await Promise.resolve();
      signal?.throwIfAborted();
      now += milliseconds;
    },
  };
}
