import type { ModelFailure } from '../../base/index.ts';
import type { Turn } from '../turn.ts';
import { restartStep } from '../turn-state.ts';
import { discard, type Recovery, type Trouble } from './recovery.ts';
import { MAX_ATTEMPTS, waitBefore } from './wait-and-retry.ts';

/** With another route at hand, nobody waits longer than this for a rate limit to pass. */
const WORTH_WAITING_MS = 10_000;
const ONLY_ONCE: readonly ModelFailure['kind'][] = ['content_policy', 'format_error'];

/** Goes on with the next route: same history, same prompt, tries counted anew. */
export const fallBack: Recovery = {
  name: 'fall-back',
  applies: (trouble, turn) => turn.routes.hasFallback() && isDue(trouble, turn),
  async apply(trouble, turn) {
    const restUntil = trouble.type === 'failure' ? readyAgainAt(turn, trouble.failure) : undefined;
    const step = await turn.routes.fallBack(restUntil);
    if (!step) return 'pass';
    if (trouble.type === 'failure') turn.state.recoveredOnce.add(onceKey(trouble.failure));
    await discard(trouble, turn, 'the next model is asked');
    const reason = trouble.type === 'failure' ? trouble.failure.message : 'no usable answer';
    turn.emit({ type: 'fallback', ...step, reason });
    turn.options.context.allow(turn.session.lineageId, 'model-switch');
    restartStep(turn.state);
    return 'retry';
  },
};

function isDue(trouble: Trouble, turn: Turn): boolean {
  if (trouble.type === 'empty' || trouble.type === 'thinking_only') return true;
  if (trouble.type !== 'failure' || !trouble.failure.fallBack) return false;
  const { failure } = trouble;
  // Another model may be less strict, but the whole chain is not tried against a refusal.
  if (ONLY_ONCE.includes(failure.kind)) return !turn.state.recoveredOnce.has(onceKey(failure));
  if (!failure.retryable || turn.state.step.tries >= MAX_ATTEMPTS) return true;
  return failure.kind === 'rate_limit' && waitBefore(turn, failure) > WORTH_WAITING_MS;
}

function onceKey(failure: ModelFailure): string {
  return `fall back for ${failure.kind}`;
}

/** Until when the route is of no use, where its provider said so. */
function readyAgainAt(turn: Turn, { retryAfterMs }: ModelFailure): number | undefined {
  return retryAfterMs === undefined ? undefined : turn.clock.now() + retryAfterMs;
}
