import type { CacheMiss } from './cache-miss.ts';
import type { Message } from './message.ts';
import type { ModelErrorKind } from './hermes-error.ts';
import type { Cost, Usage } from './usage.ts';

export type AuxiliaryUsage = { calls: number; usage: Usage; cost: Cost };

/** The result of a finished turn. */
export type RunResult = {
  finalResponse: string;
  lastReasoning: string | undefined;
  /** The complete history, as stored. */
  messages: readonly Message[];
  /** Total of all calls made for the turn. */
  usage: Usage;
  cost: Cost;
  /** The share of auxiliary tasks, such as a summary; absent if there were none. */
  auxiliary?: AuxiliaryUsage;
  /** Why calls of the turn were not served from the cache of the provider, in order. */
  cacheMisses: readonly CacheMiss[];
  /** Number of responses from the chat's own models, without auxiliary tasks. */
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
  /** Set if something went wrong: what happened and what to do next. */
  error?: { message: string; kind?: ModelErrorKind; hint?: string };
  /** What the user wrote during the turn that was never passed to the model. */
  undelivered?: string;
  durationMs: number;
};

/** Why a turn ended, in order of precedence: if several apply, the first one is reported. */
export const EXIT_REASONS = [
  'interrupted',
  'failed',
  'limit_reached',
  'repetition_stopped',
  'max_iterations',
  'budget_exhausted',
  'truncated',
  'empty',
  'completed',
] as const;

export type ExitReason = (typeof EXIT_REASONS)[number];

export type ExitFlag = 'interrupted' | 'failed' | 'partial' | 'completed';

type ExitFacts = { flag: ExitFlag; exitCode: number };

const FACTS: Record<ExitReason, ExitFacts> = {
  interrupted: { flag: 'interrupted', exitCode: 130 },
  failed: { flag: 'failed', exitCode: 1 },
  limit_reached: { flag: 'partial', exitCode: 4 },
  repetition_stopped: { flag: 'partial', exitCode: 4 },
  max_iterations: { flag: 'partial', exitCode: 4 },
  budget_exhausted: { flag: 'partial', exitCode: 4 },
  truncated: { flag: 'partial', exitCode: 3 },
  empty: { flag: 'partial', exitCode: 3 },
  completed: { flag: 'completed', exitCode: 0 },
};

/** Process exit code for usage and configuration errors, before any turn. */
export const USAGE_EXIT_CODE = 2;

export function exitFacts(reason: ExitReason): ExitFacts {
  return FACTS[reason];
}

/** The reason with the highest precedence. */
export function firstExitReason(reasons: readonly (ExitReason | undefined)[]): ExitReason | undefined {
  return EXIT_REASONS.find((reason) => reasons.includes(reason));
}
