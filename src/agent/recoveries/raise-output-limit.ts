import { announceRetry, discard, storePartialText, type Recovery } from './recovery.ts';

const MAX_RETRIES = 3;
const FIRST_LIMIT = 4_096;

/**
 * The output limit truncated a tool call or used up the answer with reasoning: repeat the request with a higher
 * limit. Truncated calls never run.
 */
export const raiseOutputLimit: Recovery = {
  name: 'grow-output-limit',
  applies: (problem) => problem.type === 'cut_tool_call' || problem.type === 'cut_thinking',
  async apply(problem, turn) {
    if (problem.type === 'failure') return 'pass';
    const { step } = turn.state;
    await discard(problem, turn, 'the answer was truncated by the output limit');
    if (step.truncatedToolCalls >= MAX_RETRIES) {
      turn.state.error = {
        message: `The model's answer was truncated by the output limit, even with ${step.maxOutputTokens} tokens.`,
        hint: 'Ask for the work in smaller parts.',
      };
      await storePartialText(turn);
      return { type: 'exit', reason: 'truncated' };
    }
    step.truncatedToolCalls += 1;
    // The provider's own default may be far above FIRST_LIMIT; the tokens already written are a lower bound for it.
    step.maxOutputTokens = Math.max(step.maxOutputTokens ?? 0, problem.answer.usage.output, FIRST_LIMIT) * 2;
    announceRetry(turn, problem, step.truncatedToolCalls);
    return 'retry';
  },
};
