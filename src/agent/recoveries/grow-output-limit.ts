import { announceRetry, discard, keepText, type Recovery } from './recovery.ts';

const MAX_RETRIES = 3;
const FIRST_LIMIT = 4_096;

/** What was cut by the output limit before it was of use is asked for again with more room; a cut call never runs. */
export const growOutputLimit: Recovery = {
  name: 'grow-output-limit',
  applies: (trouble) => trouble.type === 'cut_tool_call' || trouble.type === 'cut_thinking',
  async apply(trouble, turn) {
    if (trouble.type === 'failure') return 'pass';
    const { step } = turn.state;
    await discard(trouble, turn, 'the answer was cut off by the output limit');
    if (step.cutToolCalls >= MAX_RETRIES) {
      turn.state.error = {
        message: `The model's answer did not fit into its output limit, even with ${step.maxOutputTokens} tokens.`,
        hint: 'Ask for the work in smaller pieces.',
      };
      await keepText(turn);
      return { type: 'exit', reason: 'truncated' };
    }
    step.cutToolCalls += 1;
    // The provider's own limit may be far above our first guess; what was written shows where it lies at least.
    step.maxOutputTokens = Math.max(step.maxOutputTokens ?? 0, trouble.answer.usage.output, FIRST_LIMIT) * 2;
    announceRetry(turn, trouble, step.cutToolCalls);
    return 'retry';
  },
};
