export type BackOff = { baseMs: number; maxMs: number };

/**
 * How long to wait before try `attempt` (1, 2, …) is repeated: doubling, capped, with up to half again of jitter so
 * that many clients do not come back at the same moment.
 */
export function backOffDelay(attempt: number, { baseMs, maxMs }: BackOff, random: () => number = Math.random): number {
  const delay = Math.min(baseMs * 2 ** (attempt - 1), maxMs);
  return Math.min(delay + random() * delay * 0.5, maxMs);
}
