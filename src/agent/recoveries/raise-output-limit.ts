import type { PreparedCall } from '../../contracts/index.ts';
import { raiseLimit } from '../output-limit.ts';
import { joinParts } from './continue-text.ts';
import { announceRetry, discard, storePartialText, type Recovery } from './recovery.ts';

const TRUNCATED_CALL =
  'This call was not run: the output limit truncated the answer that contained it. Split the work into several smaller calls, and send one of them at a time.';

/**
 * The output limit truncated a tool call or used up the answer with reasoning: repeat the request once with a higher
 * limit. If the limit cannot be raised, each call is answered with an error result. Truncated calls never run.
 */
export const raiseOutputLimit: Recovery = {
  name: 'raise-output-limit',
  applies: (problem) => problem.type === 'cut_tool_call' || problem.type === 'cut_thinking',
  async apply(problem, turn) {
    if (problem.type === 'failure') return 'pass';
    const { step } = turn.state;
    const { answer } = problem;
    if (!step.outputLimitRaised && raiseLimit(turn, answer.usage.output)) {
      step.outputLimitRaised = true;
      await discard(problem, turn, 'the answer was truncated by the output limit');
      announceRetry(turn, problem, 1);
      return 'retry';
    }
    if (problem.type === 'cut_tool_call') {
      const prepared = answer.toolCalls.map(
        (call): PreparedCall => ({ call, status: 'unparsable', truncated: true, message: TRUNCATED_CALL }),
      );
      return { ...problem, type: 'answer', answer: joinParts(step, answer), prepared };
    }
    await discard(problem, turn, 'the answer was truncated by the output limit');
    turn.state.error = {
      message: `Reasoning used up the output limit (${answer.usage.output} tokens) before the model answered.`,
      hint: 'Lower the reasoning effort, or ask for the work in smaller parts.',
    };
    await storePartialText(turn);
    return { type: 'exit', reason: 'truncated' };
  },
};
