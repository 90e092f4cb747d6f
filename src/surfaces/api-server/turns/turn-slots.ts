import { HttpError } from '../../../http/index.ts';

/** Limits the turns that run without a client that waits for them. */
export interface TurnSlots {
  readonly used: number;
  /** Takes a slot, and returns the function that releases it. Throws `HttpError` if all are taken. */
  take(): () => void;
}

/** When a client should ask again: runs take longer than requests. */
const RETRY_AFTER_SECONDS = 5;

export function createTurnSlots(limit: number): TurnSlots {
  let used = 0;
  return {
    get used() {
      return used;
    },
    take() {
      if (used >= limit)
        throw new HttpError(429, 'too_many_runs', `${limit} runs are active, which is the maximum.`, {
          'retry-after': String(RETRY_AFTER_SECONDS),
        });
      used += 1;
      let isTaken = true;
      return () => {
        if (isTaken) used -= 1;
        isTaken = false;
      };
    },
  };
}
