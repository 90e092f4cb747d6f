/** Why a turn ended. Ordered: where several hold, the first one is the reason. */
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

/** Exit code of the process for usage and configuration errors, before any turn. */
export const USAGE_EXIT_CODE = 2;

export function exitFacts(reason: ExitReason): ExitFacts {
  return FACTS[reason];
}

/** The reason that counts where several hold at once. */
export function firstExitReason(reasons: readonly (ExitReason | undefined)[]): ExitReason | undefined {
  return EXIT_REASONS.find((reason) => reasons.includes(reason));
}
