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
