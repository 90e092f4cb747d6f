import { errorMessage, HermesError, type ModelFailure } from '../../../base/index.ts';
import type { BatchStop } from '../batch-options.ts';
import type { SpendingStop } from '../limits/spending.ts';

/** Why a run should come to its end, as soon as there is a reason. */
export interface StopSwitch {
  found(): BatchStop | undefined;
  stop(reason: BatchStop): void;
  onSpending(why: SpendingStop): void;
  onGivenUp(failure: ModelFailure): void;
  /** Aborted where what is under way may not go on either. */
  readonly now: AbortSignal;
}

/** How to go on after a stop, which is another way for a run than for a worker. */
export type StopHints = { afterSignal?: string; providerIsBack: string };

export function createStopSwitch(signal: AbortSignal, { afterSignal, providerIsBack }: StopHints): StopSwitch {
  const now = new AbortController();
  let found: BatchStop | undefined;
  const stop = (reason: BatchStop) => void (found ??= reason);
  const onSignal = () => stop({ reason: 'signal', message: errorMessage(signal.reason), hint: afterSignal });
  if (signal.aborted) onSignal();
  else signal.addEventListener('abort', onSignal, { once: true });
  return {
    found: () => found,
    stop,
    onSpending(why) {
      stop(SPENDING_STOPS[why]);
      // Not before the agent has the answer that was one too many: it is paid for, and the agent writes that down.
      setImmediate(() => now.abort(new HermesError(SPENDING_STOPS[why].message)));
    },
    onGivenUp({ message }) {
      const said = `The provider has been away for too long. Its last word: ${message}`;
      stop({ reason: 'failures', message: said, hint: providerIsBack });
    },
    now: now.signal,
  };
}

const SPENDING_STOPS: Record<SpendingStop, BatchStop> = {
  reached: {
    reason: 'spending',
    message: 'The spending limit of the run is reached.',
    hint: 'Go on with --resume and a higher --max-spend.',
  },
  unknown: {
    reason: 'spending',
    message: 'What a model or service of this run costs is not known, so the spending limit cannot be kept.',
    hint: 'Say its prices under model_overrides in config.yaml, do without its tool, or leave --max-spend out.',
  },
};

/** What was thrown, as a reason to end. */
export function stopFor(reason: BatchStop['reason'], thrown: unknown): BatchStop {
  return { reason, message: errorMessage(thrown), hint: hintOf(thrown) };
}

export function hintOf(thrown: unknown): string | undefined {
  return thrown instanceof HermesError ? thrown.hint : undefined;
}
