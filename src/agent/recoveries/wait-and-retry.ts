import type { ModelErrorKind, ModelFailure } from '../../base/index.ts';
import { backOffDelay } from '../../util/index.ts';
import type { Turn } from '../turn.ts';
import { announceRetry, type Recovery } from './recovery.ts';

/** Maximum attempts per request and route, except for `OUTAGES` on the last route. */
export const MAX_ATTEMPTS = 3;
const BACK_OFF = { baseMs: 2_000, maxMs: 60_000 };
/** Failures that pass with time. On the last route they are retried until the retry budget is used up. */
const OUTAGES: readonly ModelErrorKind[] = ['rate_limit', 'overloaded', 'server_error', 'connection', 'timeout'];

/** A transient failure: repeat the same request after a delay. An interrupt ends the wait immediately. */
export const waitAndRetry: Recovery = {
  name: 'wait-and-retry',
  repeatsRequest: true,
  applies: (problem) => problem.type === 'failure' && problem.failure.retryable,
  async apply(problem, turn) {
    if (problem.type !== 'failure') return 'pass';
    const waitMs = waitBefore(turn, problem.failure);
    if (!mayWait(turn, problem.failure, waitMs)) return 'pass';
    announceRetry(turn, problem, turn.state.step.attempts, waitMs);
    await turn.clock.sleep(waitMs, turn.signal);
    return 'retry';
  },
};

/**
 * Whether to wait for another attempt. On the last route the wait must fit into the retry budget, which begins with
 * the first failure of the step.
 */
function mayWait({ state: { step }, clock, routes, options }: Turn, { kind }: ModelFailure, waitMs: number): boolean {
  if (routes.hasFallback()) return step.attempts < MAX_ATTEMPTS;
  step.failingSince ??= clock.now();
  const isInTime = clock.now() + waitMs <= step.failingSince + options.retrySeconds * 1000;
  return isInTime && (OUTAGES.includes(kind) || step.attempts < MAX_ATTEMPTS);
}

/** Delay before the next attempt: the provider's retry-after, or an exponential back-off. */
export function waitBefore(turn: Turn, failure: ModelFailure): number {
  return failure.retryAfterMs ?? backOffDelay(turn.state.step.attempts, BACK_OFF, turn.options.random);
}
