import { failureOf, type Recovery } from './recovery.ts';

/** The provider refuses to stream: ask for whole answers from now on. */
export const stopStreaming: Recovery = {
  name: 'stop-streaming',
  applies: (trouble, turn) =>
    failureOf(trouble, ['stream_refused']) !== undefined && !turn.routes.lessons().streamRefused,
  async apply(_trouble, turn) {
    turn.routes.lessons().streamRefused = true;
    return 'retry';
  },
};
