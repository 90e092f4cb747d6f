import { HermesError, systemClock } from '../../base/index.ts';
import { explainDatabaseError, isBusy } from './database-error.ts';

const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 150;

/** `startedAt` is a time of `performance`, where the waiting began before this. */
export type RetryContext = { file: string; budgetMs: number; startedAt?: number };

/**
 * Runs a synchronous operation, and runs it again as long as other processes are in its way. The waits are random, so
 * that competing processes do not meet again and again, and asynchronous, so that everything else goes on meanwhile.
 * The time is not that of the wall: a clock that is set, or a machine that slept, must not cost a message.
 */
export async function retryWhileBusy<T>(operation: () => T, context: RetryContext): Promise<T> {
  const { file, budgetMs, startedAt = performance.now() } = context;
  for (;;) {
    try {
      return operation();
    } catch (thrown) {
      if (!isBusy(thrown)) throw explainDatabaseError(thrown, file);
      if (performance.now() >= startedAt + budgetMs) throw waitedTooLong(file, budgetMs, thrown);
      await systemClock.sleep(RETRY_MIN_MS + Math.random() * (RETRY_MAX_MS - RETRY_MIN_MS));
    }
  }
}

function waitedTooLong(file: string, budgetMs: number, cause: unknown): HermesError {
  return new HermesError(
    `Another program kept the session database ${file} to itself for more than ${budgetMs / 1000} s; ` +
      'what was to be done in it was not done.',
    { hint: `Find the program that has the file open (on Linux: fuser ${file}), close it, and try again.`, cause },
  );
}
