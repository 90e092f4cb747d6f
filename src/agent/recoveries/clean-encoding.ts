import type { Message } from '../../base/index.ts';
import { visibleHistory } from '../request.ts';
import { failureOf, firstTime, type Recovery } from './recovery.ts';

// Control characters other than tab and line breaks, private use, and non-characters: some parsers refuse them.
// oxlint-disable-next-line no-control-regex
const SUSPECT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff]/g;

/** The provider could not read the text: send it once more without the characters that parsers stumble over. */
export const cleanEncoding: Recovery = {
  name: 'clean-encoding',
  applies: (trouble) => failureOf(trouble, ['encoding']) !== undefined,
  async apply(_trouble, turn) {
    if (!firstTime(turn, 'clean encoding')) return 'pass';
    const { session } = turn;
    session.reduction = { boundary: session.history.length, reduced: visibleHistory(session).map(cleanMessage) };
    return 'retry';
  },
};

function cleanMessage(message: Message): Message {
  const content = message.content.replace(SUSPECT, '\ufffd');
  return content === message.content ? message : { ...message, content };
}
