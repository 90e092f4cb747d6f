import type { ModelFailure } from '../base/index.ts';
import type { CredentialPool } from '../contracts/index.ts';

/**
 * What was already tried with the credentials during one step: which were refreshed, and how often each was rejected.
 */
export type CredentialAttempts = { refreshed: Set<string>; rejections: Map<string, number> };

/**
 * Maximum rejections per credential. Without a maximum, a rate limit with a retry-after of zero would be retried
 * forever.
 */
const MAX_REJECTIONS = 3;

export function newCredentialAttempts(): CredentialAttempts {
  return { refreshed: new Set(), rejections: new Map() };
}

/**
 * Refreshes the rejected credential, or else selects another one. If none is available, `retryAfterMs` is the time
 * until the first credential of the pool leaves its cooldown. That need not be the credential rejected last.
 */
export async function changeCredential(
  pool: CredentialPool,
  { kind, retryAfterMs }: ModelFailure,
  { tries, now }: { tries: CredentialAttempts; now: number },
): Promise<{ changed: boolean; retryAfterMs?: number }> {
  const used = pool.current() ?? '';
  const { refreshed, rejections } = tries;
  const isRenewable = kind === 'auth' && !refreshed.has(used);
  if (isRenewable) refreshed.add(used);
  if (isRenewable && (await pool.refresh())) return { changed: true };
  const count = (rejections.get(used) ?? 0) + 1;
  rejections.set(used, count);
  // Rotate even when the maximum is exceeded: the pool must record the failure.
  if ((await pool.rotate(kind, retryAfterMs)) && count <= MAX_REJECTIONS) return { changed: true };
  const rest = retryAfterMs === undefined ? undefined : await pool.findCooldown();
  return { changed: false, retryAfterMs: rest ? Math.min(retryAfterMs ?? Infinity, rest.until - now) : retryAfterMs };
}
