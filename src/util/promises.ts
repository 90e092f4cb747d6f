/** Waits for no longer than the signal says. */
export async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return promise;
  // Whatever becomes of it then is nobody's.
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

/** Whether something came to its end in time, in whatever way. What hangs answers nothing, not even its end. */
export async function endsWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
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

/** Waits for something, but not for ever; what comes too late is dropped. */
export async function withinTime<Value>(
  work: Promise<Value>,
  milliseconds: number,
  tooLate = () => new Error(`no answer within ${Math.ceil(milliseconds / 1000)} seconds`),
): Promise<Value> {
  if (await endsWithin(work, milliseconds)) return work;
  throw tooLate();
}

/** Lets at most so many pieces of work run at once; the others wait in the order they came. */
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

  // The place is handed on directly, so that nobody who comes later can slip in between.
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
 * How long to wait before try `attempt` (1, 2, …) is repeated: doubling, capped, with up to half again of jitter so
 * that many clients do not come back at the same moment.
 */
export function backOffDelay(attempt: number, { baseMs, maxMs }: BackOff, random: () => number = Math.random): number {
  const delay = Math.min(baseMs * 2 ** (attempt - 1), maxMs);
  return Math.min(delay + random() * delay * 0.5, maxMs);
}
