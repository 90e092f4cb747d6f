import type { ModelAnswer, PreparedCall } from '../contracts/index.ts';
import type { CallResult } from './call-model.ts';
import type { AnswerReply } from './loop.ts';
import { joinParts } from './recoveries/continue-text.ts';
import type { AnswerProblem, CallProblem } from './recoveries/recovery.ts';
import type { Turn } from './turn.ts';

/** Returns the problem with a model call, or the complete answer if there is none. */
export async function findProblem(turn: Turn, result: CallResult): Promise<CallProblem | AnswerReply> {
  if (result.type === 'failure') return result;
  const { answer, record } = result;
  // Tool calls truncated by the output limit never run.
  const runs = answer.toolCalls.length > 0 && answer.finishReason !== 'length';
  const prepared = runs ? await turn.options.tools.prepare(answer.toolCalls) : [];
  const type = problemType(turn, answer, prepared);
  if (type !== undefined) return { type, answer, record, prepared };
  return { type: 'answer', answer: joinParts(turn.state.step, answer), record, prepared };
}

function problemType(turn: Turn, answer: ModelAnswer, prepared: readonly PreparedCall[]): AnswerProblem | undefined {
  const hasText = answer.text.trim() !== '';
  if (answer.finishReason === 'length') {
    if (answer.toolCalls.length > 0) return 'cut_tool_call';
    return hasText ? 'cut_text' : 'cut_thinking';
  }
  if (answer.toolCalls.length > 0) {
    return prepared.some((call) => call.status === 'unparsable') ? 'bad_arguments' : undefined;
  }
  if (hasText || turn.state.step.textSoFar !== '') return undefined;
  return answer.reasoning ? 'thinking_only' : 'empty';
}
