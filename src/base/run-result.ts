import type { ExitReason } from './exit-reason.ts';
import type { Message } from './message.ts';
import type { ModelErrorKind } from './model-error.ts';
import type { Cost, Usage } from './usage.ts';

/** All there is to say about a finished turn. */
export type RunResult = {
  finalResponse: string;
  lastReasoning: string | undefined;
  /** The whole conversation so far, as stored. */
  messages: readonly Message[];
  usage: Usage;
  cost: Cost;
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
