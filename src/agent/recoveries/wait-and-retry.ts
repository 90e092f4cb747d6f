import type { ModelFailure } from '../../base/index.ts';
import { backOffDelay } from '../../util/index.ts';
import type { Turn } from '../turn.ts';
import { announceRetry, type Recovery } from './recovery.ts';

/** Maximum attempts per request and route. */
export const MAX_ATTEMPTS = 3;
/** If the provider asks for a longer wait, the turn fails instead of waiting silently. */
const MAX_WAIT_MS = 600_000;
const BACK_OFF = { baseMs: 2_000, maxMs: 60_000 };

/** A transient failure: repeat the same request after a delay. An interrupt ends the wait immediately. */
export const waitAndRetry: Recovery = {
  name: 'wait-and-retry',
  repeatsRequest: true,
  applies: (problem, turn) =>
    problem.type === 'failure' &&
    problem.failure.retryable &&
    (problem.failure.retryAfterMs ?? 0) <= MAX_WAIT_MS &&
    turn.state.step.attempts < MAX_ATTEMPTS,
  async apply(problem, turn) {
    if (problem.type !== 'failure') return 'pass';
    const waitMs = waitBefore(turn, problem.failure);
    announceRetry(turn, problem, turn.state.step.attempts, waitMs);
    await turn.clock.sleep(waitMs, turn.signal);
    return 'retry';
  },
};

/** Delay before the next attempt: the provider's retry-after, or an exponential back-off. */
export function waitBefore(turn: Turn, failure: ModelFailure): number {
  return failure.retryAfterMs ?? backOffDelay(turn.state.step.attempts, BACK_OFF, turn.options.random);
}
