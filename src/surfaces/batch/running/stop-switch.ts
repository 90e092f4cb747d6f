import { errorMessage, HermesError, type ModelFailure } from '../../../base/index.ts';
import type { BatchStop } from '../batch-options.ts';
import type { SpendingStop } from '../limits/spending.ts';

/** Records the first reason to stop a run. */
export interface StopSwitch {
  found(): BatchStop | undefined;
  stop(reason: BatchStop): void;
  onSpending(why: SpendingStop): void;
  onGivenUp(failure: ModelFailure): void;
  /** Aborted if running prompts must stop too. */
  readonly now: AbortSignal;
}

/** How to continue after a stop, which differs between a local run and a worker. */
export type StopHints = { afterSignal?: string; afterOutage: string };

/** `signal` stops the run after the running prompts; `interrupt` stops those too. */
type StopSignals = { signal: AbortSignal; interrupt?: AbortSignal | undefined };

export function createStopSwitch(
  { signal, interrupt }: StopSignals,
  { afterSignal, afterOutage }: StopHints,
): StopSwitch {
  const now = new AbortController();
  let found: BatchStop | undefined;
  const stop = (reason: BatchStop) => void (found ??= reason);
  const onSignal = () => stop({ reason: 'signal', message: errorMessage(signal.reason), hint: afterSignal });
  if (signal.aborted) onSignal();
  else signal.addEventListener('abort', onSignal, { once: true });
  interrupt?.addEventListener('abort', () => now.abort(new HermesError(errorMessage(signal.reason))), { once: true });
  return {
    found: () => found,
    stop,
    onSpending(why) {
      stop(SPENDING_STOPS[why]);
      // Deferred until the agent has stored the last answer, which is paid for.
      setImmediate(() => now.abort(new HermesError(SPENDING_STOPS[why].message)));
    },
    onGivenUp({ message }) {
      const said = `The provider was unavailable for too long. Its last error: ${message}`;
      stop({ reason: 'failures', message: said, hint: afterOutage });
    },
    now: now.signal,
  };
}

const SPENDING_STOPS: Record<SpendingStop, BatchStop> = {
  reached: {
    reason: 'spending',
    message: 'The run reached its spending limit.',
    hint: 'Continue with --resume and a higher --max-spend.',
  },
  unknown: {
    reason: 'spending',
    message: 'The price of a model or service in this run is unknown, so the spending limit cannot be enforced.',
    hint: 'Set its prices in model_overrides in config.yaml, exclude its tool, or omit --max-spend.',
  },
};

/** Converts an error into a reason to stop. */
export function stopFor(reason: BatchStop['reason'], thrown: unknown): BatchStop {
  return { reason, message: errorMessage(thrown), hint: hintOf(thrown) };
}

export function hintOf(thrown: unknown): string | undefined {
  return thrown instanceof HermesError ? thrown.hint : undefined;
}
