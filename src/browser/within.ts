/** Whether something came to its end in time, in whatever way. A browser that hangs answers nothing, not even its end. */
export async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
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
