import { failureOf, type Recovery } from './recovery.ts';

/** The provider could not read the text: from now on it gets none of the characters that parsers stumble over. */
export const cleanEncoding: Recovery = {
  name: 'clean-encoding',
  applies: (trouble, turn) => failureOf(trouble, ['encoding']) !== undefined && !turn.session.plainText,
  async apply(_trouble, turn) {
    turn.session.plainText = true;
    return 'retry';
  },
};
