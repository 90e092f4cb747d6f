import { discard, type Recovery } from './recovery.ts';

/** The final text of a turn without an answer. Displayed only, never stored. */
const EMPTY = '(empty)';

export const endEmpty: Recovery = {
  name: 'end-empty',
  applies: (problem) => problem.type === 'empty' || problem.type === 'thinking_only',
  async apply(problem, turn) {
    await discard(problem, turn, 'the answer was empty');
    turn.state.finalText = EMPTY;
    turn.state.error = {
      message: 'The model repeatedly returned an empty answer.',
      hint: 'Try again, or choose another model with --model.',
    };
    return { type: 'exit', reason: 'empty' };
  },
};
