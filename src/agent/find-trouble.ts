import type { CallRecord, ModelAnswer } from '../contracts/index.ts';
import type { Trouble } from './recoveries/recovery.ts';
import type { Turn } from './turn.ts';

/** What makes an answer unusable as it is; undefined for one the loop can work with. */
export function findTrouble(turn: Turn, answer: ModelAnswer, record: CallRecord): Trouble | undefined {
  const type = troubleType(turn, answer);
  return type === undefined ? undefined : { type, answer, record };
}

function troubleType(turn: Turn, answer: ModelAnswer): Exclude<Trouble['type'], 'failure'> | undefined {
  const hasText = answer.text.trim() !== '';
  if (answer.finishReason === 'length') {
    if (answer.toolCalls.length > 0) return 'cut_tool_call';
    return hasText ? 'cut_text' : 'cut_thinking';
  }
  if (answer.toolCalls.length > 0) {
    const prepared = turn.options.tools.prepare(answer.toolCalls);
    return prepared.some((call) => call.status === 'unparsable') ? 'bad_arguments' : undefined;
  }
  if (hasText || turn.state.step.textSoFar !== '') return undefined;
  return answer.reasoning ? 'thinking_only' : 'empty';
}
