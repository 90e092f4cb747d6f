import { compressContext } from '../compress-context.ts';
import { learnWindow } from '../window.ts';
import type { Recovery } from './recovery.ts';

const MAX_ATTEMPTS = 3;

/** The request is too large: compress the session, more with each attempt. */
export const compress: Recovery = {
  name: 'compress',
  applies: (problem) => problem.type === 'failure' && problem.failure.compress,
  async apply(problem, turn) {
    if (problem.type !== 'failure') return 'pass';
    learnWindow(turn, problem.failure);
    if (turn.options.autoCompress === false) return 'pass';
    while (turn.state.overflows < MAX_ATTEMPTS) {
      turn.state.overflows += 1;
      if (await compressContext(turn, { reason: 'overflow', attempt: turn.state.overflows })) return 'retry';
    }
    return 'pass';
  },
};
