import type { ExitReason } from '../base/index.ts';
import { assistantMessage } from './history.ts';
import type { AnswerReply } from './loop.ts';
import type { Turn } from './turn.ts';

/** Stores an answer without tool calls. It ends the turn, unless the user has steered in the meantime. */
export async function handleText(turn: Turn, { answer, record }: AnswerReply): Promise<ExitReason | undefined> {
  const { state, session } = turn;
  await session.append([assistantMessage(answer, turn.routes.current())], record);
  state.finalText = answer.text.trim();
  state.lastReasoning = answer.reasoning;
  if (answer.finishReason === 'length') {
    state.error = {
      message: 'The answer was truncated: it exceeds the output limit of the model.',
      hint: 'Ask the model to continue.',
    };
    return 'truncated';
  }
  const steered = await turn.steering.deliver(async (content) => {
    if (content !== undefined) await session.append([{ role: 'user', content }]);
  });
  if (steered === undefined) return 'completed';
  turn.emit({ type: 'steered', text: steered });
  return undefined;
}
