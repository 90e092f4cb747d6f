import { totalTokens } from '../../base/index.ts';
import { type CallRecord, PAID_TASKS } from '../../contracts/index.ts';

const PAID_NAMES: readonly (string | undefined)[] = PAID_TASKS;

/**
 * A call that failed before it cost anything has no tokens, and says nothing about a sum. A service that is paid by the piece
 * has none either, and costs something all the same.
 */
export function costsSomething({ usage, cost, purpose }: CallRecord): boolean {
  return totalTokens(usage) > 0 || cost.usd > 0 || PAID_NAMES.includes(purpose);
}

/** The same of a row whose cost nobody knows, as a condition. */
export function isUnpriced(call: string): string {
  const tokens = ['input', 'output', 'cache_read', 'cache_write'].map((kind) => `${call}.${kind}_tokens`).join(' + ');
  const paid = PAID_TASKS.map((name) => `'${name}'`).join(', ');
  return `${call}.cost_status = 'unknown' AND (${tokens} > 0 OR COALESCE(${call}.purpose, '') IN (${paid}))`;
}
