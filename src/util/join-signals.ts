/**
 * A signal that is aborted with the first of several. Unlike with `AbortSignal.any`, a long-lived signal forgets about it
 * on `release`: thousands of turns can be joined to the signal of one process.
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
