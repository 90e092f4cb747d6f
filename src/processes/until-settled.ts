/** Waits for a promise; rejects with the signal's reason as soon as it is aborted. */
export async function untilSettled(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
