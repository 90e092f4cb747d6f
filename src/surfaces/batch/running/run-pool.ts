/** Works on many things at once, and takes the next one only when there is a hand free for it. */
export async function runPool<Item>(options: {
  items: AsyncIterator<Item>;
  workers: number;
  work(item: Item): Promise<void>;
  /** No more is taken once this is true; what is under way is brought to its end. */
  isDraining(): boolean;
}): Promise<void> {
  const { items, workers, work, isDraining } = options;
  let fault: { error: unknown } | undefined;
  let taking: Promise<unknown> = Promise.resolve();

  /** One at a time: the items come from one file. */
  const takeNext = (): Promise<IteratorResult<Item>> => {
    const next = taking.then(
      async (): Promise<IteratorResult<Item>> =>
        isDraining() || fault !== undefined ? { done: true, value: undefined } : items.next(),
    );
    taking = next.catch(() => undefined);
    return next;
  };
  const oneWorker = async () => {
    for (;;) {
      const { done, value } = await takeNext();
      if (done) return;
      await work(value);
    }
  };
  const guarded = () =>
    oneWorker().catch((error: unknown) => {
      fault ??= { error };
    });
  await Promise.all(Array.from({ length: workers }, guarded));
  await items.return?.();
  if (fault !== undefined) throw fault.error;
}
