import { type AgentEvent, type InteractionAnswer, type InteractionRequest, OWNER } from '../../../base/index.ts';
import type { Conversation } from '../../../conversations/index.ts';

const INPUT_ENDED = 'The input has ended, so nobody can answer.';

/** Declines the questions that only the input could answer, once it has ended. */
export function createQuestionWatch(conversation: Pick<Conversation, 'answer'>) {
  const open = new Map<string, InteractionRequest['kind']>();
  let hasInput = true;
  /** A question that was closed meanwhile needs no answer. */
  const decline = (id: string, kind: InteractionRequest['kind']) =>
    void conversation.answer(id, refusalOf(kind), OWNER);
  return {
    note(event: AgentEvent): void {
      if (event.type === 'request-closed') open.delete(event.requestId);
      if (event.type !== 'request') return;
      open.set(event.requestId, event.request.kind);
      if (!hasInput) decline(event.requestId, event.request.kind);
    },
    endInput(): void {
      hasInput = false;
      for (const [id, kind] of open) decline(id, kind);
    },
  };
}

function refusalOf(kind: InteractionRequest['kind']): InteractionAnswer {
  if (kind === 'approval') return { kind, answer: 'deny', reason: INPUT_ENDED };
  return { kind, text: '' };
}
