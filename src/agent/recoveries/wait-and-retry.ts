import type { ModelFailure } from '../../base/index.ts';
import { backOffDelay } from '../../util/index.ts';
import type { Turn } from '../turn.ts';
import { announceRetry, type Recovery } from './recovery.ts';

/** Tries per call and route. */
export const MAX_ATTEMPTS = 3;
/** A provider that is away for longer than this is not waited for in silence: the turn ends and says so. */
const MAX_WAIT_MS = 600_000;
const BACK_OFF = { baseMs: 2_000, maxMs: 60_000 };

/** A passing fault: the same request again, a little later. An interrupt ends the wait at once. */
export const waitAndRetry: Recovery = {
  name: 'wait-and-retry',
  repeatsRequest: true,
  applies: (trouble, turn) =>
    trouble.type === 'failure' &&
    trouble.failure.retryable &&
    (trouble.failure.retryAfterMs ?? 0) <= MAX_WAIT_MS &&
    turn.state.step.tries < MAX_ATTEMPTS,
  async apply(trouble, turn) {
    if (trouble.type !== 'failure') return 'pass';
    const waitMs = waitBefore(turn, trouble.failure);
    announceRetry(turn, trouble, turn.state.step.tries, waitMs);
    await turn.clock.sleep(waitMs, turn.signal);
    return 'retry';
  },
};

/** How long the next try would have to wait: what the provider asked for, else a growing delay. */
export function waitBefore(turn: Turn, failure: ModelFailure): number {
  return failure.retryAfterMs ?? backOffDelay(turn.state.step.tries, BACK_OFF, turn.options.random);
}
