import {
  type AgentEvent,
  type ApprovalAnswer,
  type Clock,
  errorMessage,
  type InteractionAnswer,
  type InteractionRequest,
  newId,
} from '../base/index.ts';
import type { AskedQuestion, Interaction, Logger, QuestionLog } from '../contracts/index.ts';

export type Questions = {
  interaction: Interaction;
  /** Answers an open question. Returns false if there is none with that id, or if the answer does not fit it. */
  respond(requestId: string, answer: InteractionAnswer): boolean;
};

type QuestionOptions = {
  attended: boolean;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
  /** The session and the turn in which the questions are asked. */
  from(): Pick<AskedQuestion, 'sessionId' | 'turnId'>;
  log: QuestionLog | undefined;
  logger: Logger;
  emit(event: AgentEvent): void;
};

const APPROVALS: readonly ApprovalAnswer[] = ['once', 'session', 'always'];

type OpenQuestion = { kind: InteractionRequest['kind']; settle(answer: InteractionAnswer): void };

/** Asks the user. This is the only place where a missing answer becomes a denial. */
export function createQuestions(options: QuestionOptions): Questions {
  const open = new Map<string, OpenQuestion>();
  const record = createSafeLog(options);

  async function ask(request: InteractionRequest): Promise<InteractionAnswer | undefined> {
    if (!options.attended || options.signal.aborted) return undefined;
    const requestId = newId('ask');
    const answer = new Promise<InteractionAnswer>((resolve) => {
      open.set(requestId, { kind: request.kind, settle: resolve });
    });
    const earlier = await record.opened(requestId, request);
    if (earlier !== undefined) {
      open.delete(requestId);
      return earlier;
    }
    const settled = new AbortController();
    const nobody = options.clock
      .sleep(options.timeoutMs, AbortSignal.any([options.signal, settled.signal]))
      .then(() => undefined)
      .catch(() => undefined);
    options.emit({ type: 'request', requestId, request });
    let given: InteractionAnswer | undefined;
    try {
      given = await Promise.race([answer, nobody]);
      return given;
    } finally {
      settled.abort();
      open.delete(requestId);
      options.emit({ type: 'request-closed', requestId });
      await record.closed(requestId, given);
    }
  }

  return {
    interaction: {
      async approve(request) {
        const answer = await ask({ kind: 'approval', ...request });
        // The answer may come from another program, so anything except a known approval counts as a denial.
        if (answer?.kind !== 'approval') return 'deny';
        if (answer.answer === 'always' && isTextList(answer.entries))
          return { answer: 'always', entries: answer.entries };
        if (APPROVALS.includes(answer.answer)) return answer.answer;
        return typeof answer.reason === 'string' ? { answer: 'deny', reason: answer.reason } : 'deny';
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

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Wraps the question log so that it never throws: a question is asked even if it cannot be stored. */
function createSafeLog({ log, logger, clock, timeoutMs, signal, from }: QuestionOptions) {
  const failed = (thrown: unknown) => {
    logger.warn('could not store a question', { reason: errorMessage(thrown) });
    return undefined;
  };
  return {
    async opened(id: string, request: InteractionRequest): Promise<InteractionAnswer | undefined> {
      const askedAt = clock.now();
      const asked = { ...from(), id, request, askedAt, expiresAt: askedAt + timeoutMs };
      return log?.opened(asked).catch(failed);
    },
    async closed(id: string, answer: InteractionAnswer | undefined): Promise<void> {
      const outcome = answer !== undefined ? 'answered' : signal.aborted ? 'void' : 'expired';
      await log?.closed(id, outcome).catch(failed);
    },
  };
}
