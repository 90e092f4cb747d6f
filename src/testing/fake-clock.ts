import type { Clock } from '../base/index.ts';

export type FakeClock = Clock & {
  /** The requested sleeps in milliseconds, oldest first. */
  readonly sleeps: readonly number[];
  /** Advances the time without a sleep. */
  advance(milliseconds: number): void;
};

/** A clock whose sleeps end immediately and advance its time. */
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
      // Asynchronous, so that the sleep can be aborted.
      await Promise.resolve();
      signal?.throwIfAborted();
      now += milliseconds;
    },
  };
}
