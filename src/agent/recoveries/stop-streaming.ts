import { failureOf, type Recovery } from './recovery.ts';

/** The provider does not support streaming: request complete answers from now on. */
export const stopStreaming: Recovery = {
  name: 'stop-streaming',
  applies: (problem, turn) =>
    failureOf(problem, ['stream_refused']) !== undefined && !turn.routes.learned().streamRefused,
  async apply(_problem, turn) {
    turn.routes.learned().streamRefused = true;
    return 'retry';
  },
};
