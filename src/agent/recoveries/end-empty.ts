import { discard, type Recovery } from './recovery.ts';

/** What a turn answers when the model answers nothing. Only ever shown, never stored. */
const EMPTY = '(empty)';

export const endEmpty: Recovery = {
  name: 'end-empty',
  applies: (trouble) => trouble.type === 'empty' || trouble.type === 'thinking_only',
  async apply(trouble, turn) {
    await discard(trouble, turn, 'the answer was empty');
    turn.state.finalText = EMPTY;
    turn.state.error = {
      message: 'The model gave no answer, several times over.',
      hint: 'Ask again, or choose another model with --model.',
    };
    return { type: 'exit', reason: 'empty' };
  },
};
