/** The time source; tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Milliseconds since any fixed point. Unlike `now`, it never goes back when the system time is set. A clock whose
   * time only advances can omit it.
   */
  monotonic?(): number;
  /** Resolves after a delay; rejects with the signal's reason as soon as it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Milliseconds since any fixed point. `performance` would load a part of Node that startup does not need. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Node stores timer delays in 32 bits; a longer delay would fire immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: monotonicMs,
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
        Math.min(milliseconds, MAX_TIMER_MS),
      );
      signal?.addEventListener('abort', stop, { once: true });
    });
  },
};

/** Starts to measure a duration. The function returns the whole milliseconds that have passed since. */
export function startTimer(clock: Clock): () => number {
  const read = () => clock.monotonic?.() ?? clock.now();
  const start = read();
  return () => Math.round(read() - start);
}
