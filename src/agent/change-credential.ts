import type { ModelFailure } from '../base/index.ts';
import type { CredentialPool } from '../contracts/index.ts';

/** What was done about credentials while one answer was wanted: which were renewed, and how often each was refused. */
export type CredentialTries = { renewed: Set<string>; refusals: Map<string, number> };

/** Refusals of one credential. A limit that is said to be over at once would otherwise be run into for ever. */
const MAX_REFUSALS = 3;

export function newCredentialTries(): CredentialTries {
  return { renewed: new Set(), refusals: new Map() };
}

/**
 * The credential is the trouble: renews it, else takes another one. Where there is none, `retryAfterMs` is how long it
 * takes until the first of all is ready, which may be sooner than the one that was refused last.
 */
export async function changeCredential(
  pool: CredentialPool,
  { kind, retryAfterMs }: ModelFailure,
  { tries, now }: { tries: CredentialTries; now: number },
): Promise<{ changed: boolean; retryAfterMs?: number }> {
  const used = pool.current() ?? '';
  const { renewed, refusals } = tries;
  const isRenewable = kind === 'auth' && !renewed.has(used);
  if (isRenewable) renewed.add(used);
  if (isRenewable && (await pool.refresh())) return { changed: true };
  const count = (refusals.get(used) ?? 0) + 1;
  refusals.set(used, count);
  // It rests in any case: what failed again is to be known of, too.
  if ((await pool.rotate(kind, retryAfterMs)) && count <= MAX_REFUSALS) return { changed: true };
  const rest = retryAfterMs === undefined ? undefined : await pool.restOfAll();
  return { changed: false, retryAfterMs: rest ? Math.min(retryAfterMs ?? Infinity, rest.until - now) : retryAfterMs };
}
