import type { OutputRefusal } from '../../base/index.ts';
import { acceptsLimit, learnedLimits, learnLimit, MIN_OUTPUT_LIMIT, outputLimitOf } from '../output-limit.ts';
import { routeName } from '../token-figure.ts';
import type { Turn } from '../turn.ts';
import { learnWindow } from '../window.ts';
import { firstTime, type Recovery } from './recovery.ts';

/** Minimum room for the answer in the window. With less room, compressing the session is better than a short answer. */
const MIN_ROOM = 4_096;

/** The provider rejected the output limit: lower it once, in this call and in later ones. */
export const lowerOutputLimit: Recovery = {
  name: 'lower-output-limit',
  applies: (problem, turn) =>
    problem.type === 'failure' && problem.failure.outputRefusal !== undefined && acceptsLimit(turn),
  async apply(problem, turn) {
    if (problem.type !== 'failure' || problem.failure.outputRefusal === undefined) return 'pass';
    const { outputRefusal: refusal } = problem.failure;
    const lowered = findLoweredLimit(turn, refusal);
    if (lowered === undefined || !firstTime(turn, `${refusal.reason} ${routeName(turn)}`)) return 'pass';
    if (refusal.reason !== 'window') learnLimit(turn, refusal.reason, lowered);
    else {
      learnWindow(turn, problem.failure);
      turn.state.step.maxOutputTokens = lowered;
    }
    return 'retry';
  },
};

/** The next limit to try; undefined if a lower one would not help. */
function findLoweredLimit(turn: Turn, { reason, accepted, requested }: OutputRefusal): number | undefined {
  if (reason === 'window') return accepted !== undefined && accepted >= MIN_ROOM ? accepted : undefined;
  // The provider stated no limit, and the limit was already halved once: halving it again would not help.
  if (accepted === undefined && learnedLimits(turn)[reason] !== undefined) return undefined;
  const sent = outputLimitOf(turn) ?? (reason === 'credits' ? requested : undefined);
  const lowered = sent === undefined ? 0 : Math.min(Math.floor(sent / 2), accepted ?? Infinity);
  return lowered >= MIN_OUTPUT_LIMIT ? lowered : undefined;
}
