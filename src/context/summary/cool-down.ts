import { type Clock, errorMessage, HermesError, ModelError, type ModelErrorKind } from '../../base/index.ts';
import { UnusableAnswers } from '../../contracts/index.ts';

/** After a failure that may pass or answers of no use, and where no provider could be asked at all. */
const PASSING_MS = 60_000;
const NO_PROVIDER_MS = 600_000;
/** Failures that waiting does not mend: someone has to change a setting. */
const LASTING: readonly ModelErrorKind[] = ['auth', 'auth_permanent', 'billing', 'model_not_found'];

/** Keeps a summary model that failed from being asked again at once: each try may take minutes. */
export interface CoolDown {
  /** Why nobody is asked now; undefined where somebody can be. */
  reason(): string | undefined;
  begin(thrown: unknown): void;
}

export function createCoolDown(clock: Clock): CoolDown {
  let rest = { until: 0, why: '' };
  return {
    reason() {
      const seconds = Math.ceil((rest.until - clock.now()) / 1_000);
      return seconds > 0 ? `the summary model rests for ${seconds} s more, because: ${rest.why}` : undefined;
    },
    begin(thrown) {
      const failure = failureOf(thrown);
      const isReached = failure !== undefined && !LASTING.includes(failure.kind);
      const isPassing = isReached || thrown instanceof UnusableAnswers;
      rest = { until: clock.now() + (isPassing ? PASSING_MS : NO_PROVIDER_MS), why: errorMessage(thrown) };
    },
  };
}

/** Whether a smaller question could be answered. */
export function isOverflow(thrown: unknown): boolean {
  return failureOf(thrown)?.compress === true;
}

/** The failed call behind what was thrown; none where no call could be made. */
function failureOf(thrown: unknown) {
  const cause = thrown instanceof HermesError && !(thrown instanceof ModelError) ? thrown.cause : thrown;
  return cause instanceof ModelError ? cause.failure : undefined;
}
