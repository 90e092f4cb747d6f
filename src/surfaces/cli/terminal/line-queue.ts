/** Lines that wait for their turn, and one reader that waits for lines. */
export interface LineQueue {
  push(line: string): void;
  /** Before all that wait. */
  pushFirst(line: string): void;
  /** The newest line, out of the queue again. */
  takeBack(): string | undefined;
  /** In their order. */
  waiting(): readonly string[];
  /** Open, with nothing to read: someone may type. */
  isIdle(): boolean;
  /** The next line; undefined once the queue is closed. */
  next(): Promise<string | undefined>;
  close(): void;
}

export function createLineQueue(onChange: (waiting: readonly string[]) => void = () => undefined): LineQueue {
  const waiting: string[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  const changed = () => {
    onChange(waiting);
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
    takeBack() {
      const line = waiting.pop();
      onChange(waiting);
      return line;
    },
    waiting: () => [...waiting],
    isIdle: () => !closed && waiting.length === 0,
    async next() {
      while (!closed && waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const line = closed ? undefined : waiting.shift();
      onChange(waiting);
      return line;
    },
    close() {
      closed = true;
      changed();
    },
  };
}
