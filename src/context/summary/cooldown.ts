import { type Clock, errorMessage, HermesError, ModelError, type ModelErrorKind } from '../../base/index.ts';
import { UnusableAnswers } from '../../contracts/index.ts';

/** Cooldown after a temporary failure or unusable answers, and after a failure that no retry can fix. */
const TEMPORARY_MS = 60_000;
const NO_PROVIDER_MS = 600_000;
/** Failures that persist until someone changes a setting. */
const PERMANENT_KINDS: readonly ModelErrorKind[] = ['auth', 'auth_permanent', 'billing', 'model_not_found'];

/** Prevents a failed summary model from being called again immediately: each attempt may take minutes. */
export interface Cooldown {
  /** Why no model is called now; undefined if there is no cooldown. */
  reason(): string | undefined;
  start(thrown: unknown): void;
}

export function createCooldown(clock: Clock): Cooldown {
  let rest = { until: 0, why: '' };
  return {
    reason() {
      const seconds = Math.ceil((rest.until - clock.now()) / 1_000);
      return seconds > 0
        ? `the summary model is in cooldown for ${seconds} s more after this error: ${rest.why}`
        : undefined;
    },
    start(thrown) {
      const failure = failureOf(thrown);
      const isReached = failure !== undefined && !PERMANENT_KINDS.includes(failure.kind);
      const isPassing = isReached || thrown instanceof UnusableAnswers;
      rest = { until: clock.now() + (isPassing ? TEMPORARY_MS : NO_PROVIDER_MS), why: errorMessage(thrown) };
    },
  };
}

/** Whether a smaller request could succeed. */
export function isOverflow(thrown: unknown): boolean {
  return failureOf(thrown)?.compress === true;
}

/** The model failure behind an error; undefined if no call was made. */
function failureOf(thrown: unknown) {
  const cause = thrown instanceof HermesError && !(thrown instanceof ModelError) ? thrown.cause : thrown;
  return cause instanceof ModelError ? cause.failure : undefined;
}
