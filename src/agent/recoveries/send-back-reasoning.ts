import { announceRetry, discard, type Recovery } from './recovery.ts';

const MAX_PREFILLS = 2;
const NOW_ANSWER =
  'This was your reasoning so far; it was not followed by an answer. Now act on it: call a tool or give the answer.';

/** The answer was reasoning only: send the reasoning back, so that the model does not repeat it. Never stored. */
export const sendBackReasoning: Recovery = {
  name: 'send-back-reasoning',
  applies: (problem, turn) => problem.type === 'thinking_only' && turn.state.step.reasoningPrefills < MAX_PREFILLS,
  async apply(problem, turn) {
    if (problem.type === 'failure') return 'pass';
    const { step } = turn.state;
    step.reasoningPrefills += 1;
    await discard(problem, turn, 'the answer contained only reasoning');
    announceRetry(turn, problem, step.reasoningPrefills);
    step.requestTail = [
      { role: 'assistant', content: `<think>\n${problem.answer.reasoning ?? ''}\n</think>` },
      { role: 'user', content: NOW_ANSWER },
    ];
    return 'retry';
  },
};
