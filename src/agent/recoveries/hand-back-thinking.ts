import { announceRetry, discard, type Recovery } from './recovery.ts';

const MAX_PREFILLS = 2;
const NOW_ANSWER =
  'That was your thinking so far, and nothing after it. Now act on it: call a tool or give the answer.';

/** Thinking and nothing after it: hand the thinking back so that it is not done twice. Never stored. */
export const handBackThinking: Recovery = {
  name: 'hand-back-thinking',
  applies: (trouble, turn) => trouble.type === 'thinking_only' && turn.state.step.thinkingPrefills < MAX_PREFILLS,
  async apply(trouble, turn) {
    if (trouble.type === 'failure') return 'pass';
    const { step } = turn.state;
    step.thinkingPrefills += 1;
    await discard(trouble, turn, 'the answer was thinking only');
    announceRetry(turn, trouble, step.thinkingPrefills);
    step.requestTail = [
      { role: 'assistant', content: `<think>\n${trouble.answer.reasoning ?? ''}\n</think>` },
      { role: 'user', content: NOW_ANSWER },
    ];
    return 'retry';
  },
};
