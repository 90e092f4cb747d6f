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
  /** The next line that is typed from now on: what waits was not meant for a question that comes now. */
  nextTyped(): Promise<string | undefined>;
  /** Ends the wait of `nextTyped` with undefined; false where nobody waits. */
  stopAsking(): boolean;
  close(): void;
}

export function createLineQueue(onChange: (waiting: readonly string[]) => void = () => undefined): LineQueue {
  const waiting: string[] = [];
  let closed = false;
  let wake: (() => void) | undefined;
  let asked: ((line: string | undefined) => void) | undefined;
  const answer = (line: string | undefined): boolean => {
    const waits = asked;
    asked = undefined;
    waits?.(line);
    return waits !== undefined;
  };
  const changed = () => {
    onChange(waiting);
    wake?.();
    wake = undefined;
  };
  return {
    push(line) {
      if (answer(line)) return;
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
    nextTyped: () =>
      closed
        ? Promise.resolve(undefined)
        : new Promise((resolve) => {
            asked = resolve;
          }),
    stopAsking: () => answer(undefined),
    close() {
      closed = true;
      answer(undefined);
      changed();
    },
  };
}
