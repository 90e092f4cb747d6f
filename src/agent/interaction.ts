import { type AgentEvent, type Clock, type InteractionAnswer, type InteractionRequest, newId } from '../base/index.ts';
import type { Interaction } from '../contracts/index.ts';

export type Questions = {
  interaction: Interaction;
  /** Answers an open question; false where there is none with that id, or the answer is of the wrong kind. */
  respond(requestId: string, answer: InteractionAnswer): boolean;
};

type QuestionOptions = {
  attended: boolean;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
  emit(event: AgentEvent): void;
};

type OpenQuestion = { kind: InteractionRequest['kind']; settle(answer: InteractionAnswer): void };

/** The one place where a question without an answer becomes a no. */
export function createQuestions(options: QuestionOptions): Questions {
  const open = new Map<string, OpenQuestion>();

  async function ask(request: InteractionRequest): Promise<InteractionAnswer | undefined> {
    if (!options.attended || options.signal.aborted) return undefined;
    const requestId = newId('ask');
    const settled = new AbortController();
    const answer = new Promise<InteractionAnswer>((resolve) => {
      open.set(requestId, { kind: request.kind, settle: resolve });
    });
    const nobody = options.clock
      .sleep(options.timeoutMs, AbortSignal.any([options.signal, settled.signal]))
      .then(() => undefined)
      .catch(() => undefined);
    options.emit({ type: 'request', requestId, request });
    try {
      return await Promise.race([answer, nobody]);
    } finally {
      settled.abort();
      open.delete(requestId);
      options.emit({ type: 'request-closed', requestId });
    }
  }

  return {
    interaction: {
      async approve(request) {
        const answer = await ask({ kind: 'approval', ...request });
        return answer?.kind === 'approval' ? answer.answer : 'deny';
      },
      async clarify(request) {
        const answer = await ask({ kind: 'clarify', ...request });
        return answer?.kind === 'clarify' ? answer.text : undefined;
      },
    },
    respond(requestId, answer) {
      const question = open.get(requestId);
      if (!question || question.kind !== answer.kind) return false;
      question.settle(answer);
      return true;
    },
  };
}
