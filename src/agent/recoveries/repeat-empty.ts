import { announceRetry, discard, type Recovery } from './recovery.ts';

const MAX_RETRIES = 3;

/** The answer was empty: repeat the request without the messages that earlier recoveries appended. */
export const repeatEmpty: Recovery = {
  name: 'repeat-empty',
  applies: (problem, turn) =>
    (problem.type === 'empty' || problem.type === 'thinking_only') && turn.state.step.emptyRetries < MAX_RETRIES,
  async apply(problem, turn) {
    const { step } = turn.state;
    step.emptyRetries += 1;
    step.requestTail = [];
    await discard(problem, turn, 'the answer was empty');
    announceRetry(turn, problem, step.emptyRetries);
    return 'retry';
  },
};
