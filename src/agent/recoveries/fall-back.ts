import type { ModelFailure } from '../../base/index.ts';
import type { Turn } from '../turn.ts';
import { restartStep } from '../turn-state.ts';
import { discard, type Recovery, type CallProblem } from './recovery.ts';
import { MAX_ATTEMPTS, waitBefore } from './wait-and-retry.ts';

/** With a fallback available, Hermes does not wait longer than this, even if the provider asks for it. */
const MAX_WAIT_MS = 10_000;
const ONLY_ONCE: readonly ModelFailure['kind'][] = ['content_policy', 'format_error'];

/** Switches to the next route with the same history and prompt; attempts are counted from zero again. */
export const fallBack: Recovery = {
  name: 'fall-back',
  applies: (problem, turn) => turn.routes.hasFallback() && isDue(problem, turn),
  async apply(problem, turn) {
    const restUntil = problem.type === 'failure' ? findCooldownEnd(turn, problem.failure) : undefined;
    const step = await turn.routes.fallBack(restUntil);
    if (!step) return 'pass';
    if (problem.type === 'failure') turn.state.recoveredOnce.add(onceKey(problem.failure));
    await discard(problem, turn, 'switching to the next model');
    const reason = problem.type === 'failure' ? problem.failure.message : 'no usable answer';
    turn.emit({ type: 'fallback', ...step, reason });
    turn.options.context.allow(turn.session.lineageId, 'model-switch');
    restartStep(turn.state);
    return 'retry';
  },
};

function isDue(problem: CallProblem, turn: Turn): boolean {
  if (problem.type === 'empty' || problem.type === 'thinking_only') return true;
  if (problem.type !== 'failure' || !problem.failure.fallBack) return false;
  const { failure } = problem;
  // Another model may be less strict, but trying the whole chain against a content refusal makes no sense.
  if (ONLY_ONCE.includes(failure.kind)) return !turn.state.recoveredOnce.has(onceKey(failure));
  // A 404 without details may be a wrong path or a missing model; repeating the request helps with neither.
  if (!failure.retryable || failure.status === 404 || turn.state.step.attempts >= MAX_ATTEMPTS) return true;
  return waitBefore(turn, failure) > MAX_WAIT_MS;
}

function onceKey(failure: ModelFailure): string {
  return `fall back for ${failure.kind}`;
}

/** When the cooldown of the route ends, if the provider said so. */
function findCooldownEnd(turn: Turn, { retryAfterMs }: ModelFailure): number | undefined {
  return retryAfterMs === undefined ? undefined : turn.clock.now() + retryAfterMs;
}
