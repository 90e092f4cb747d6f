/** Lines that wait for their turn, and one reader that waits for lines. */
export interface LineQueue {
  push(line: string): void;
  /** Before all that wait. */
  pushFirst(line: string): void;
  /** Open, with nothing to read: someone may type. */
  isIdle(): boolean;
  /** The next line; undefined once the queue is closed. */
  next(): Promise<string | undefined>;
  close(): void;
}

export function createLineQueue(): LineQueue {
  const waiting: string[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  const changed = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push(line) {
      waiting.push(line);
      changed();
    },
    pushFirst(line) {
      waiting.unshift(line);
      changed();
    },
    isIdle: () => !closed && waiting.length === 0,
    async next() {
      while (!closed && waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return closed ? undefined : waiting.shift();
    },
    close() {
      closed = true;
      changed();
    },
  };
}
