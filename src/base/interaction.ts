/** Asks the user for permission. */
export type ApprovalRequest = {
  kind: 'approval';
  toolName: string;
  /** What would be done, e.g. the command to run. */
  subject: string;
  /**
   * The rule that requires approval, e.g. "recursive delete", the part of the subject it matched, and what "always"
   * would allow.
   */
  reasons: { rule: string; matched: string; always?: string }[];
};

export type ApprovalAnswer = 'once' | 'session' | 'always' | 'deny';

/** A denial, and why, in the words of the user. */
export type ReasonedDenial = { answer: 'deny'; reason: string };

/** A question from the model to the user. */
export type ClarifyRequest = {
  kind: 'clarify';
  question: string;
  choices: string[];
};

/** Default time limit for an answer. */
export const DEFAULT_ANSWER_SECONDS = 300;

export type InteractionRequest = ApprovalRequest | ClarifyRequest;
/** An approval answer, with the reason of a denial if the user gave one, or the text that answers a clarify question. */
export type InteractionAnswer =
  | { kind: 'approval'; answer: ApprovalAnswer; reason?: string }
  /** An empty text declines the question. */
  | { kind: 'clarify'; text: string };
