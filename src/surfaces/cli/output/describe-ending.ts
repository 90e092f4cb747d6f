import type { RunResult } from '../../../base/index.ts';
import type { Report } from '../report-error.ts';

/** Why a turn ended before its work was done, in words. */
const ENDINGS: Record<Exclude<RunResult['exitReason'], 'completed' | 'failed'>, string> = {
  interrupted: 'The turn was interrupted; everything up to here is saved.',
  limit_reached: 'The turn was stopped by a limit.',
  repetition_stopped: 'The turn was stopped because the model kept repeating a call that fails.',
  max_iterations: 'The turn used up its steps.',
  budget_exhausted: 'The turn used up its steps.',
  truncated: 'The answer was cut off by the output limit.',
  empty: 'The model gave no answer.',
};

/** What a person is told about a turn that did not simply end well; undefined where it did. */
export function describeEnding(result: RunResult, logFile: string): Report | undefined {
  if (result.exitReason === 'completed') return undefined;
  const details = result.error?.message;
  if (result.exitReason === 'failed') {
    return { message: details ?? 'The turn failed.', hint: result.error?.hint ?? `The details are in ${logFile}.` };
  }
  // What is not whole was cut for one of several reasons, and the error names the one that holds.
  if (result.exitReason === 'truncated' && details !== undefined) return { message: details, hint: result.error?.hint };
  // An interruption needs no reason: it was the person's own.
  const reason = result.exitReason === 'interrupted' ? undefined : details;
  return { message: [ENDINGS[result.exitReason], reason].filter(Boolean).join(' '), hint: result.error?.hint };
}
