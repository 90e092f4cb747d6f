import { announceRetry, discard, type Recovery } from './recovery.ts';

const NUDGE = 'Your message after the tool results above was empty. Continue with the task, or give your answer.';

/** The answer after tool results was empty: remind the model once that one is expected. Never stored. */
export const nudgeAfterTools: Recovery = {
  name: 'nudge-after-tools',
  applies: (problem, turn) =>
    problem.type === 'empty' && !turn.state.nudgedAfterTools && turn.session.history.at(-1)?.role === 'tool',
  async apply(problem, turn) {
    turn.state.nudgedAfterTools = true;
    await discard(problem, turn, 'the answer was empty');
    announceRetry(turn, problem, 1);
    turn.state.step.requestTail = [
      { role: 'assistant', content: '(empty)' },
      { role: 'user', content: NUDGE },
    ];
    return 'retry';
  },
};
