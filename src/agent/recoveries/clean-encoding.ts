import { failureOf, type Recovery } from './recovery.ts';

/** The provider could not decode the text: replace problematic characters in all later requests. */
export const cleanEncoding: Recovery = {
  name: 'clean-encoding',
  applies: (problem, turn) => failureOf(problem, ['encoding']) !== undefined && !turn.session.plainText,
  async apply(_problem, turn) {
    turn.session.plainText = true;
    return 'retry';
  },
};
