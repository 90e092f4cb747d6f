import type { RunResult } from '../../../base/index.ts';
import type { Report } from '../report-error.ts';

/** Why a turn ended before its work was done. */
const EXIT_MESSAGES: Record<Exclude<RunResult['exitReason'], 'completed' | 'failed'>, string> = {
  interrupted: 'The turn was interrupted. Everything up to this point is saved.',
  limit_reached: 'The turn was stopped because it reached a limit.',
  repetition_stopped: 'The turn was stopped because the model kept repeating the same call.',
  max_iterations: 'The turn reached the maximum number of steps.',
  budget_exhausted: 'The turn reached the maximum number of steps.',
  truncated: 'The answer was truncated at the output limit.',
  empty: 'The model returned an empty answer.',
};

/** Describes how a turn ended; undefined if it completed. */
export function describeExit(result: RunResult, logFile: string): Report | undefined {
  if (result.exitReason === 'completed') return undefined;
  const details = result.error?.message;
  if (result.exitReason === 'failed') {
    return { message: details ?? 'The turn failed.', hint: result.error?.hint ?? `See ${logFile} for details.` };
  }
  // An answer can be truncated for several reasons; the error names the actual one.
  if (result.exitReason === 'truncated' && details !== undefined) return { message: details, hint: result.error?.hint };
  // The user caused the interrupt, so no reason is given.
  const reason = result.exitReason === 'interrupted' ? undefined : details;
  // The error of a limit does not say that the turn was stopped; all other errors do.
  const needsBoth = reason === undefined || result.exitReason === 'limit_reached';
  const sentences = needsBoth ? [EXIT_MESSAGES[result.exitReason], reason] : [reason];
  return { message: sentences.filter(Boolean).join(' '), hint: result.error?.hint };
}
