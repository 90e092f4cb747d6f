import { type Actor, type ActorRole, hasRole, type InteractionAnswer, type InteractionRequest } from '../base/index.ts';

/**
 * `open` until it is answered; `expired` if it was not answered in time; `void` if the turn that asked ended first,
 * for example because its process died.
 */
export type QuestionState = 'open' | 'answered' | 'expired' | 'void';

/** Who may answer a question: actors with this role or a higher one, and the named actors. */
export type AllowedActors = { role: ActorRole; actorIds?: readonly string[] };

export function mayAnswer({ role, actorIds = [] }: AllowedActors, actor: Actor): boolean {
  return hasRole(actor, role) || actorIds.includes(actor.id);
}

/** An approval or clarify request of a turn, stored so that it can be answered from another process. */
export type StoredQuestion = {
  /** The id of the `request` event. */
  id: string;
  /** The key of the conversation in which it was asked. */
  key: string;
  sessionId: string;
  /** The task id of the turn that asks. */
  turnId: string;
  request: InteractionRequest;
  allowed: AllowedActors;
  state: QuestionState;
  answer: InteractionAnswer | undefined;
  answeredBy: Actor | undefined;
  askedAt: number;
  expiresAt: number;
  answeredAt: number | undefined;
  /** When a turn used the answer; undefined if none has. */
  usedAt: number | undefined;
};

export type NewQuestion = Pick<
  StoredQuestion,
  'id' | 'key' | 'sessionId' | 'turnId' | 'request' | 'allowed' | 'askedAt' | 'expiresAt'
>;

/** Why an answer was not accepted. `not_open` covers answered, expired and void questions. */
export type AnswerOutcome = 'answered' | 'not_found' | 'not_open' | 'wrong_kind' | 'forbidden';

/** The table `questions`. */
export interface QuestionStore {
  addQuestion(question: NewQuestion): Promise<void>;
  getQuestion(id: string): Promise<StoredQuestion | undefined>;
  /** Open questions, oldest first, optionally of one session or conversation. */
  listOpenQuestions(filter?: { sessionId?: string; key?: string }): Promise<StoredQuestion[]>;
  /** The first answer by an allowed actor wins. `now` decides whether the question has expired. */
  answerQuestion(id: string, answer: InteractionAnswer, actor: Actor, now: number): Promise<AnswerOutcome>;
  /**
   * Closes a question whose turn no longer waits for an answer. An answer stored in the meantime is not used for
   * another call.
   */
  closeQuestion(id: string, state: 'expired' | 'void', now: number): Promise<void>;
  /** Marks the answer as used, so that it applies to no other call. */
  useAnswer(id: string, now: number): Promise<void>;
  /**
   * The newest answer to the same request in a session, given since a point in time, that no turn has used. Such an
   * answer exists if the turn that asked died before it could use it.
   */
  findUnusedAnswer(sessionId: string, request: InteractionRequest, since: number): Promise<StoredQuestion | undefined>;
  /** Voids the open questions of a session that belong to other turns; returns their number. */
  voidQuestions(sessionId: string, exceptTurnId: string): Promise<number>;
  /** Deletes the questions asked before a point in time; returns their number. */
  pruneQuestions(before: number): Promise<number>;
}

/** A question as the agent asks it. */
export type AskedQuestion = Pick<StoredQuestion, 'id' | 'sessionId' | 'turnId' | 'request' | 'askedAt' | 'expiresAt'>;

/** Stores the questions that an agent asks. A failure does not prevent a question from being asked. */
export interface QuestionLog {
  /**
   * Stores a question before it is announced. Returns an answer if somebody answered the same question after the turn
   * that asked it had died, so that it need not be answered twice.
   */
  opened(question: AskedQuestion): Promise<InteractionAnswer | undefined>;
  closed(id: string, outcome: 'answered' | 'expired' | 'void'): Promise<void>;
}
