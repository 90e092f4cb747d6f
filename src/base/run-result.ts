import type { ExitReason } from './exit-reason.ts';
import type { Message } from './message.ts';
import type { ModelErrorKind } from './model-error.ts';
import type { Cost, Usage } from './usage.ts';

export type AuxiliaryShare = { calls: number; usage: Usage; cost: Cost };

/** All there is to say about a finished turn. */
export type RunResult = {
  finalResponse: string;
  lastReasoning: string | undefined;
  /** The whole conversation so far, as stored. */
  messages: readonly Message[];
  /** Of all calls that were made for the turn. */
  usage: Usage;
  cost: Cost;
  /** The part of them that auxiliary tasks had, such as a summary; absent where there were none. */
  auxiliary?: AuxiliaryShare;
  /** Answers of the chat's own models. */
  apiCalls: number;
  toolCalls: number;
  sessionId: string;
  taskId: string;
  model: string;
  provider: string;
  exitReason: ExitReason;
  completed: boolean;
  partial: boolean;
  interrupted: boolean;
  failed: boolean;
  /** Set where something went wrong: what, and what to do next. */
  error?: { message: string; kind?: ModelErrorKind; hint?: string };
  /** What the user said during the turn and the model never got to read. */
  undelivered?: string;
  durationMs: number;
};
