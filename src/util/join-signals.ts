/**
 * A signal that is aborted with the first of several signals. Unlike `AbortSignal.any`, `release` removes the
 * listeners, so that thousands of turns can be joined to one long-lived signal.
 */
export function joinSignals(given: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; release(): void } {
  const signals = given.filter((signal) => signal !== undefined);
  const joined = new AbortController();
  const abort = (event: Event) => joined.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) joined.abort(signal.reason);
    signal.addEventListener('abort', abort);
  }
  return {
    signal: joined.signal,
    release() {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  };
}
