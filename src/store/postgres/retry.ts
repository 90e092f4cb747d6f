import { systemClock } from '../../base/index.ts';
import { explainDatabaseError, isLost, isTransient, busyTooLong, unreachable } from './database-error.ts';

const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 150;
/** Longer delays for an unreachable server, because many processes may be waiting for it. */
const LOST_MIN_MS = 100;
const LOST_MAX_MS = 1_000;

export type RetryContext = { location: string; budgetMs: number; startedAt?: number };

/**
 * Retries transient errors and lost connections until the time budget is used up. Uses a monotonic clock: setting the
 * clock or suspending the machine must not cost a message.
 */
export async function retryTransientErrors<T>(operation: () => Promise<T>, context: RetryContext): Promise<T> {
  const { location, budgetMs, startedAt = performance.now() } = context;
  let lost = 0;
  for (;;) {
    try {
      return await operation();
    } catch (thrown) {
      if (!isTransient(thrown)) throw explainDatabaseError(thrown, location);
      const seconds = budgetMs / 1000;
      if (performance.now() >= startedAt + budgetMs) {
        throw isLost(thrown) ? unreachable(location, thrown, seconds) : busyTooLong(location, thrown, seconds);
      }
      lost = isLost(thrown) ? lost + 1 : 0;
      await systemClock.sleep(lost === 0 ? between(RETRY_MIN_MS, RETRY_MAX_MS) : backOff(lost));
    }
  }
}

function backOff(times: number): number {
  const longest = Math.min(LOST_MAX_MS, LOST_MIN_MS * 2 ** times);
  return between(longest / 2, longest);
}

function between(least: number, most: number): number {
  return least + Math.random() * (most - least);
}
