import type { ExitReason } from '../base/index.ts';
import { assistantMessage } from './history.ts';
import { callModel } from './call-model.ts';
import { compressIfNeeded } from './compress-context.ts';
import { buildRequest } from './request.ts';
import { newStepState } from './turn-state.ts';
import type { Turn } from './turn.ts';

const SUMMARY_REQUEST =
  'You have used all steps of this turn and cannot call tools any more. Summarize briefly what you did, what you found, and what is left to do.';

/** The grace call: one answer without tools, so that the user gets a summary of the work so far. */
export async function makeGraceCall(turn: Turn, reason: ExitReason): Promise<void> {
  const { state } = turn;
  state.step = newStepState();
  // Part of this request only; the user did not write it, so it is not stored.
  state.step.requestTail = [{ role: 'user', content: SUMMARY_REQUEST }];
  const calls = `${state.steps} step${state.steps === 1 ? '' : 's'}`;
  state.error = {
    message: `The turn was stopped after ${calls} (${reason}).`,
    hint: 'Send "continue" to go on, or raise agent.max_turns.',
  };
  await compressIfNeeded(turn);
  const result = await callModel(turn, await buildRequest(turn, 'none'));
  if (result.type === 'answer' && result.answer.text.trim() !== '') {
    const answer = { ...result.answer, toolCalls: [] };
    await turn.session.append([assistantMessage(answer, turn.routes.current())], result.record);
    state.finalText = answer.text.trim();
    return;
  }
  if (result.type === 'answer') await turn.options.store.recordCall(turn.session.id, result.record);
  state.finalText = `Stopped after ${calls}. The model returned no summary.`;
  turn.emit({ type: 'warning', message: 'The model returned no summary.' });
}
