/** Runs one task at a time per key, in call order. */
export interface KeyedLock {
  run<Value>(key: string, task: () => Promise<Value>): Promise<Value>;
  isBusy(key: string): boolean;
}

export function createKeyedLock(): KeyedLock {
  const newest = new Map<string, Promise<unknown>>();
  return {
    isBusy: (key) => newest.has(key),
    async run(key, task) {
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
