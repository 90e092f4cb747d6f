import { reduceContext as reduce } from '../reduce-context.ts';
import type { Recovery } from './recovery.ts';

/** The request is too large: send less of the old history. */
export const reduceContext: Recovery = {
  name: 'reduce-context',
  applies: (trouble) => trouble.type === 'failure' && trouble.failure.compress,
  async apply(trouble, turn) {
    const limit = trouble.type === 'failure' ? trouble.failure.contextLimit : undefined;
    if (limit !== undefined) turn.routes.lessons().contextLimit = limit;
    return reduce(turn) ? 'retry' : 'pass';
  },
};
