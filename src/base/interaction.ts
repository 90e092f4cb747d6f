/** A question to the person: may this be done? */
export type ApprovalRequest = {
  kind: 'approval';
  toolName: string;
  /** What would be done, e.g. the command. */
  subject: string;
  /** The rule that asks, e.g. "recursive delete", the part of the subject it matched, and what "always" would allow. */
  reasons: { rule: string; matched: string; always?: string }[];
};

export type ApprovalAnswer = 'once' | 'session' | 'always' | 'deny';

/** A question of the model to the person. */
export type ClarifyRequest = {
  kind: 'clarify';
  question: string;
  choices: string[];
};

/** So long a person has for an answer, where nothing else is set. */
export const ANSWER_SECONDS = 300;

export type InteractionRequest = ApprovalRequest | ClarifyRequest;
/** An approval answer, or the text that answers a clarify question. */
export type InteractionAnswer = { kind: 'approval'; answer: ApprovalAnswer } | { kind: 'clarify'; text: string };
