import type { Run } from '../agent/index.ts';
import { type Actor, errorMessage, type InteractionAnswer, type InteractionRequest } from '../base/index.ts';
import {
  type AllowedActors,
  type AnswerOutcome,
  mayAnswer,
  type QuestionLog,
  type StoredQuestion,
} from '../contracts/index.ts';
import type { Services } from '../runtime/index.ts';
import { findRunningTurn } from './remote-turn.ts';

/** How long an answer can be used for the same question if the turn that asked has died. */
const UNUSED_ANSWER_MS = 10 * 60_000;
/** How long questions are kept after they were asked. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** The questions of one conversation. They are stored, so that another process can answer them. */
export interface StoredQuestions {
  /** Stores the questions of the conversation's agents. */
  readonly log: QuestionLog;
  listOpen(): Promise<StoredQuestion[]>;
  /** Answers a question of the run, if the actor is allowed to. */
  answer(id: string, answer: InteractionAnswer, actor: Actor, run: Run | undefined): Promise<AnswerOutcome>;
  /**
   * Closes questions of earlier turns of a session, whose process must have died, and deletes old ones. Runs in the
   * background.
   */
  voidAbandoned(sessionId: string, turnId: string): void;
}

type Options = {
  key: string;
  allowedFor?: ((request: InteractionRequest) => AllowedActors) | undefined;
};

export function createStoredQuestions(
  { store, clock, logger }: Pick<Services, 'store' | 'clock' | 'logger'>,
  { key, allowedFor = defaultAllowed }: Options,
): StoredQuestions {
  // The questions that this process asked. They can be answered even if they could not be stored.
  const asked = new Map<string, InteractionRequest>();

  function judge(id: string, answer: InteractionAnswer, actor: Actor): AnswerOutcome {
    const request = asked.get(id);
    if (request === undefined) return 'not_found';
    if (!mayAnswer(allowedFor(request), actor)) return 'forbidden';
    return request.kind === answer.kind ? 'answered' : 'wrong_kind';
  }

  async function storeAnswer(id: string, answer: InteractionAnswer, actor: Actor): Promise<AnswerOutcome> {
    try {
      const outcome = await store.answerQuestion(id, answer, actor, clock.now());
      return outcome === 'not_found' ? judge(id, answer, actor) : outcome;
    } catch (thrown) {
      logger.warn('could not store an answer', { questionId: id, reason: errorMessage(thrown) });
      return judge(id, answer, actor);
    }
  }

  return {
    log: {
      async opened(question) {
        const { sessionId, request, askedAt } = question;
        asked.set(question.id, request);
        const earlier = await store.findUnusedAnswer(sessionId, request, askedAt - UNUSED_ANSWER_MS);
        if (earlier !== undefined) {
          await store.useAnswer(earlier.id, askedAt);
          asked.delete(question.id);
          return earlier.answer;
        }
        await store.addQuestion({ ...question, key, allowed: allowedFor(request) });
        return undefined;
      },
      async closed(id, outcome) {
        asked.delete(id);
        if (outcome === 'answered') await store.useAnswer(id, clock.now());
        else await store.closeQuestion(id, outcome, clock.now());
      },
    },
    listOpen: () => store.listOpenQuestions({ key }),
    async answer(id, answer, actor, run) {
      if (!asked.has(id)) return answerQuestion({ store, clock }, { id, answer, actor });
      const outcome = await storeAnswer(id, answer, actor);
      if (outcome !== 'answered') return outcome;
      if (run?.respond(id, answer)) return 'answered';
      // The turn is ending, so the answer must not be used for the same question of a later turn.
      await store.useAnswer(id, clock.now()).catch(() => undefined);
      return 'not_open';
    },
    voidAbandoned(sessionId, turnId) {
      const voided = store.voidQuestions(sessionId, turnId);
      const pruned = store.pruneQuestions(clock.now() - KEPT_MS);
      Promise.all([voided, pruned]).catch((thrown: unknown) => {
        logger.warn('could not close abandoned questions', { sessionId, reason: errorMessage(thrown) });
      });
    },
  };
}

/** Answers a question that any process asked, even if that process has died. */
export async function answerQuestion(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  { id, answer, actor }: { id: string; answer: InteractionAnswer; actor: Actor },
): Promise<AnswerOutcome> {
  const question = await store.getQuestion(id);
  const turn = question && (await findRunningTurn({ store, clock }, question.sessionId));
  return turn ? turn.answer(id, answer, actor) : store.answerQuestion(id, answer, actor, clock.now());
}

/** Approving a plan lets an agent change things, like an approval. */
function defaultAllowed(request: InteractionRequest): AllowedActors {
  return { role: request.kind === 'approval' || request.plan !== undefined ? 'admin' : 'user' };
}
