import { compressContext } from '../compress-context.ts';
import { learnWindow } from '../window.ts';
import type { Recovery } from './recovery.ts';

const MAX_ATTEMPTS = 3;

/** The request is too large: go on with less, each time with less than before. */
export const compress: Recovery = {
  name: 'compress',
  applies: (trouble) => trouble.type === 'failure' && trouble.failure.compress,
  async apply(trouble, turn) {
    if (trouble.type !== 'failure') return 'pass';
    learnWindow(turn, trouble.failure);
    if (turn.options.compressesByItself === false) return 'pass';
    while (turn.state.overflows < MAX_ATTEMPTS) {
      turn.state.overflows += 1;
      if (await compressContext(turn, { reason: 'overflow', attempt: turn.state.overflows })) return 'retry';
    }
    return 'pass';
  },
};
