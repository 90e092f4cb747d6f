import { announceRetry, discard, type Recovery } from './recovery.ts';

const NUDGE = 'You sent nothing after the tool results above. Go on with the task, or give your answer.';

/** Silence right after tool results: say once that something is expected. Never stored. */
export const nudgeAfterTools: Recovery = {
  name: 'nudge-after-tools',
  applies: (trouble, turn) =>
    trouble.type === 'empty' && !turn.state.nudgedAfterTools && turn.session.history.at(-1)?.role === 'tool',
  async apply(trouble, turn) {
    turn.state.nudgedAfterTools = true;
    await discard(trouble, turn, 'the answer was empty');
    announceRetry(turn, trouble, 1);
    turn.state.step.requestTail = [
      { role: 'assistant', content: '(empty)' },
      { role: 'user', content: NUDGE },
    ];
    return 'retry';
  },
};
