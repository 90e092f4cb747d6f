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
