import type { ExitReason } from '../base/index.ts';
import { assistantMessage } from './history.ts';
import type { AnswerReply } from './loop.ts';
import type { Turn } from './turn.ts';

/** An answer without tool calls ends the turn, unless the user has said something in the meantime. */
export async function takeText(turn: Turn, { answer, record }: AnswerReply): Promise<ExitReason | undefined> {
  const { state, session } = turn;
  await session.append([assistantMessage(answer, turn.routes.current())], record);
  state.finalText = answer.text.trim();
  state.lastReasoning = answer.reasoning;
  if (answer.finishReason === 'length') {
    state.error = { message: 'The answer is longer than the model can write.', hint: 'Ask it to go on.' };
    return 'truncated';
  }
  const steered = await turn.steering.deliver(async (content) => {
    if (content !== undefined) await session.append([{ role: 'user', content }]);
  });
  if (steered === undefined) return 'completed';
  turn.emit({ type: 'steered', text: steered });
  return undefined;
}
