import { joinParts } from './continue-text.ts';
import { announceRetry, discard, type Recovery } from './recovery.ts';

const MAX_RETRIES = 3;

/** The arguments are not valid JSON: repeat the request, and after the last attempt return the error to the model. */
export const repeatBadArguments: Recovery = {
  name: 'repeat-bad-arguments',
  applies: (problem) => problem.type === 'bad_arguments',
  async apply(problem, turn) {
    if (problem.type === 'failure') return 'pass';
    const { step } = turn.state;
    if (step.badArguments >= MAX_RETRIES) {
      return { ...problem, type: 'answer', answer: joinParts(step, problem.answer) };
    }
    step.badArguments += 1;
    await discard(problem, turn, 'the arguments of a tool call were not valid JSON');
    announceRetry(turn, problem, step.badArguments);
    return 'retry';
  },
};
