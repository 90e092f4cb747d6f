import type { ModelErrorKind } from '../../base/index.ts';
import type { Rest } from './pool-state.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** A refused token may be good again soon: another process renews it, a clock is set right. */
const AUTH_MS = 300 * SECOND;
const USUAL_MS = HOUR;
/** Where there is no other, a long rest would only keep the person waiting. */
const SOLE_MS = 60 * SECOND;
/** So long a mark stands, unless `hermes auth reset` takes it away. */
const MARKED_MS = 24 * HOUR;
/** No provider means what it says beyond this. */
const LONGEST_MS = 31 * 24 * HOUR;

const MARKING: readonly Rest['reason'][] = ['auth_permanent', 'billing', 'login_ended'];

/** How long a credential rests after a failure of this kind. What the provider said itself wins. */
export function restAfter(
  kind: ModelErrorKind | 'login_ended',
  options: { now: number; sole: boolean; retryAfterMs?: number },
): Rest {
  const { now, sole, retryAfterMs } = options;
  const isTold = retryAfterMs !== undefined && retryAfterMs > 0;
  if (MARKING.includes(kind)) return { until: now + MARKED_MS, reason: kind, marked: true };
  if (isTold) return { until: now + Math.min(retryAfterMs, LONGEST_MS), reason: kind, marked: false, told: true };
  // "At once" was just shown to be wrong: another credential must have its chance before this one is taken again.
  const isShort = sole || retryAfterMs !== undefined;
  const usual = isShort ? SOLE_MS : kind === 'auth' ? AUTH_MS : USUAL_MS;
  return { until: now + usual, reason: kind, marked: false };
}
