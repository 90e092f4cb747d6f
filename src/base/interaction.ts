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

/** An answer "always" with the allow-list entries to save: each covers no more than an entry that was offered. */
export type NarrowedApproval = { answer: 'always'; entries: string[] };

/** A question from the model to the user. */
export type ClarifyRequest = {
  kind: 'clarify';
  question: string;
  choices: string[];
  /** The plan that the question asks about, as Markdown. The answers in `PLAN_ANSWERS` decide about it. */
  plan?: string;
};

/**
 * The answers that decide about a plan. `edited` is followed by the plan as the user wants it. Any other text says what
 * to change.
 */
export const PLAN_ANSWERS = {
  approve: 'Approve the plan',
  edited: 'Approve with these changes:',
  reject: 'Reject the plan',
} as const;

/** How a plan is changed by an answer in text. */
export const HOW_TO_CHANGE_PLAN = `To change the plan, answer "${PLAN_ANSWERS.edited}" and the new plan, or say what is wrong.`;

/** A question with everything that it asks about, for surfaces that show it as one text. */
export function wholeQuestion({ question, plan }: Pick<ClarifyRequest, 'question' | 'plan'>): string {
  return plan === undefined ? question : `${plan}\n\n${question} ${HOW_TO_CHANGE_PLAN}`;
}

/** Default time limit for an answer. */
export const DEFAULT_ANSWER_SECONDS = 300;

export type InteractionRequest = ApprovalRequest | ClarifyRequest;
/**
 * An approval answer, with the reason of a denial or the entries of "always" if the user gave them, or the text that
 * answers a clarify question.
 */
export type InteractionAnswer =
  | { kind: 'approval'; answer: ApprovalAnswer; reason?: string; entries?: string[] }
  /** An empty text declines the question. */
  | { kind: 'clarify'; text: string };
