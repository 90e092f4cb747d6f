import type { ModelFailure } from '../../base/index.ts';
import type { Turn } from '../turn.ts';
import { discard, type Recovery, type Trouble } from './recovery.ts';
import { MOST_TRIES, waitBefore } from './wait-and-retry.ts';

const LONGEST_WAIT_MS = 10_000;
const ONLY_ONCE: readonly ModelFailure['kind'][] = ['content_policy', 'format_error'];

/** Goes on with the next route: same history, same prompt, tries counted anew. */
export const fallBack: Recovery = {
  name: 'fall-back',
  applies: (trouble, turn) => turn.routes.hasFallback() && isDue(trouble, turn),
  async apply(trouble, turn) {
    if (trouble.type === 'failure') {
      rest(turn, trouble.failure);
      turn.state.recoveredOnce.add(onceKey(trouble.failure));
    }
    const step = await turn.routes.fallBack();
    if (!step) return 'pass';
    await discard(trouble, turn, 'the next model is asked');
    const reason = trouble.type === 'failure' ? trouble.failure.message : 'no usable answer';
    turn.emit({ type: 'fallback', ...step, reason });
    turn.state.step.tries = 0;
    return 'retry';
  },
};

function isDue(trouble: Trouble, turn: Turn): boolean {
  if (trouble.type === 'empty' || trouble.type === 'thinking_only') return true;
  if (trouble.type !== 'failure' || !trouble.failure.fallBack) return false;
  const { failure } = trouble;
  // Another model may be less strict, but the whole chain is not tried against a refusal.
  if (ONLY_ONCE.includes(failure.kind)) return !turn.state.recoveredOnce.has(onceKey(failure));
  if (!failure.retryable || turn.state.step.tries >= MOST_TRIES) return true;
  return failure.kind === 'rate_limit' && waitBefore(turn, failure) > LONGEST_WAIT_MS;
}

function onceKey(failure: ModelFailure): string {
  return `fall back for ${failure.kind}`;
}

/** Remembers until when the route is of no use, where its provider said so. */
function rest(turn: Turn, failure: ModelFailure): void {
  if (failure.retryAfterMs !== undefined) turn.routes.restUntil(turn.clock.now() + failure.retryAfterMs);
}
