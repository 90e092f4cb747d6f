import { announceRetry, discard, type Recovery } from './recovery.ts';

const MAX_RETRIES = 3;

/** Nothing usable came: ask again, without anything that earlier attempts added. */
export const repeatEmpty: Recovery = {
  name: 'repeat-empty',
  applies: (trouble, turn) =>
    (trouble.type === 'empty' || trouble.type === 'thinking_only') && turn.state.step.emptyRetries < MAX_RETRIES,
  async apply(trouble, turn) {
    const { step } = turn.state;
    step.emptyRetries += 1;
    step.requestTail = [];
    await discard(trouble, turn, 'the answer was empty');
    announceRetry(turn, trouble, step.emptyRetries);
    return 'retry';
  },
};
