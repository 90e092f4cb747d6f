/** Runs one task at a time per key, in call order. */
export interface KeyedLock {
  run<Value>(key: string, task: () => Promise<Value>): Promise<Value>;
  isBusy(key: string): boolean;
  /**
   * For a task that only waits for its client: calls `end` as soon as another task needs one of the keys, until the
   * returned function is called.
   */
  giveWay(keys: readonly string[], end: () => void): () => void;
  /** Ends the tasks that give way. `run` does that by itself. */
  claim(key: string): void;
}

export function createKeyedLock(): KeyedLock {
  const newest = new Map<string, Promise<unknown>>();
  const waiting = new Set<{ keys: readonly string[]; end(): void }>();

  function claim(key: string): void {
    for (const { keys, end } of waiting) if (keys.includes(key)) end();
  }

  return {
    isBusy: (key) => newest.has(key),
    claim,
    giveWay(keys, end) {
      const task = { keys, end };
      waiting.add(task);
      return () => void waiting.delete(task);
    },
    async run(key, task) {
      claim(key);
      const before = newest.get(key) ?? Promise.resolve();
      const mine = before.then(task, task);
      newest.set(key, mine);
      try {
        return await mine;
      } finally {
        if (newest.get(key) === mine) newest.delete(key);
      }
    },
  };
}
