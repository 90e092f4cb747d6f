import { joinParts } from './continue-text.ts';
import { announceRetry, discard, type Recovery } from './recovery.ts';

const MAX_RETRIES = 3;

/** Arguments that are no JSON: ask again, and in the end let the model read what was wrong. */
export const repeatBadArguments: Recovery = {
  name: 'repeat-bad-arguments',
  applies: (trouble) => trouble.type === 'bad_arguments',
  async apply(trouble, turn) {
    if (trouble.type === 'failure') return 'pass';
    const { step } = turn.state;
    if (step.badArguments >= MAX_RETRIES) {
      return { ...trouble, type: 'answer', answer: joinParts(step, trouble.answer) };
    }
    step.badArguments += 1;
    await discard(trouble, turn, 'the arguments of a tool call were not valid JSON');
    announceRetry(turn, trouble, step.badArguments);
    return 'retry';
  },
};
