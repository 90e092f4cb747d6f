import { type Actor, type ActorRole, hasRole, type InteractionAnswer, type InteractionRequest } from '../base/index.ts';

/**
 * `open` until somebody answers; `expired` if nobody did in time; `void` if the turn that asked ended first, for example
 * because its process died.
 */
export type QuestionState = 'open' | 'answered' | 'expired' | 'void';

/** Who may answer a question: everybody with the role or a higher one, and the actors that are named. */
export type AllowedActors = { role: ActorRole; actorIds?: readonly string[] };

export function mayAnswer({ role, actorIds = [] }: AllowedActors, actor: Actor): boolean {
  return hasRole(actor, role) || actorIds.includes(actor.id);
}

/** An approval or clarify request of a turn, stored so that it can be answered from another process. */
export type StoredQuestion = {
  /** The id of the `request` event. */
  id: string;
  /** The conversation it was asked in. */
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
  /** When a turn acted on the answer; undefined if none has yet. */
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
  /** The open questions, oldest first; of one session or conversation where that is given. */
  listOpenQuestions(filter?: { sessionId?: string; key?: string }): Promise<StoredQuestion[]>;
  /** The first answer by an allowed actor wins; `now` decides whether it came in time. */
  answerQuestion(id: string, answer: InteractionAnswer, actor: Actor, now: number): Promise<AnswerOutcome>;
  /** Ends a question whose turn acts on no answer any more. If one was stored meanwhile, it counts for no other call. */
  closeQuestion(id: string, state: 'expired' | 'void', now: number): Promise<void>;
  /** Marks the answer as acted on, so that it counts for no other call. */
  useAnswer(id: string, now: number): Promise<void>;
  /**
   * The newest answer to the same request in a session that no turn has acted on, given since a point in time: the turn
   * that asked died before it could.
   */
  findUnusedAnswer(sessionId: string, request: InteractionRequest, since: number): Promise<StoredQuestion | undefined>;
  /** Ends the open questions of a session whose turn is not this one; how many there were. */
  voidQuestions(sessionId: string, exceptTurnId: string): Promise<number>;
  /** Deletes the questions that were asked before a point in time; how many. */
  pruneQuestions(before: number): Promise<number>;
}

/** A question as the agent asks it. */
export type AskedQuestion = Pick<StoredQuestion, 'id' | 'sessionId' | 'turnId' | 'request' | 'askedAt' | 'expiresAt'>;

/** Where an agent records the questions it asks. A record that fails does not keep the question from being asked. */
export interface QuestionLog {
  /**
   * Records a question before it is announced. Returns an answer where somebody gave one to the same question after the
   * turn that asked it had died, so that nobody has to answer twice.
   */
  opened(question: AskedQuestion): Promise<InteractionAnswer | undefined>;
  closed(id: string, outcome: 'answered' | 'expired' | 'void'): Promise<void>;
}
