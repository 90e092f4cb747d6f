import { HermesError, monotonicMs, systemClock } from '../../base/index.ts';
import { explainDatabaseError, isBusy } from './database-error.ts';

const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 150;

/** `startedAt` is a value of `monotonicMs`, for waiting that began earlier. */
export type RetryContext = { file: string; budgetMs: number; startedAt?: number };

/**
 * Runs a synchronous operation and retries it while other processes hold the lock. The delays are random, so that
 * competing processes do not collide again, and asynchronous, so that the event loop continues. Uses a monotonic
 * clock: setting the clock or suspending the machine must not cost a message.
 */
export async function retryWhileBusy<T>(operation: () => T, context: RetryContext): Promise<T> {
  const { file, budgetMs, startedAt = monotonicMs() } = context;
  for (;;) {
    try {
      return operation();
    } catch (thrown) {
      if (!isBusy(thrown)) throw explainDatabaseError(thrown, file);
      if (monotonicMs() >= startedAt + budgetMs) throw lockTimeout(file, budgetMs, thrown);
      await systemClock.sleep(RETRY_MIN_MS + Math.random() * (RETRY_MAX_MS - RETRY_MIN_MS));
    }
  }
}

function lockTimeout(file: string, budgetMs: number, cause: unknown): HermesError {
  return new HermesError(
    `Another program kept the session database ${file} busy for more than ${budgetMs / 1000} s; ` +
      'the operation was not carried out.',
    { hint: `Find the program that has the file open (on Linux: fuser ${file}), close it, and try again.`, cause },
  );
}
