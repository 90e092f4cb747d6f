/** Waits for a promise, but rejects as soon as the signal is aborted. */
export async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  // The promise may reject after the abort, when nobody handles it any more.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Whether a promise settles in time. Use it for work that may hang. */
export async function settlesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise with a timeout; a late result is ignored. */
export async function withTimeout<Value>(
  work: Promise<Value>,
  milliseconds: number,
  tooLate = () => new Error(`timed out after ${Math.ceil(milliseconds / 1000)} s`),
): Promise<Value> {
  if (await settlesWithin(work, milliseconds)) return work;
  throw tooLate();
}

/** Limits how many tasks run concurrently; the others wait in order of arrival. */
export interface Semaphore {
  use<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createSemaphore(limit: number): Semaphore {
  let free = limit;
  const waiting: (() => void)[] = [];

  async function enter(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  // The slot is passed directly to the next waiting task, so that a later one cannot take it.
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return {
    async use(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

export type BackOff = { baseMs: number; maxMs: number };

/**
 * The delay before attempt `attempt` (1, 2, …) is repeated: doubled each time, capped, with up to 50 % jitter so that
 * many clients do not retry at the same moment.
 */
export function backOffDelay(attempt: number, { baseMs, maxMs }: BackOff, random: () => number = Math.random): number {
  const delay = Math.min(baseMs * 2 ** (attempt - 1), maxMs);
  return Math.min(delay + random() * delay * 0.5, maxMs);
}
