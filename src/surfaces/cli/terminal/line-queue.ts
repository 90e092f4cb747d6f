/** Typed lines in a queue, with a single reader. */
export interface LineQueue {
  push(line: string): void;
  /** Adds a line at the front of the queue. */
  pushFirst(line: string): void;
  /** Removes the newest line and returns it. */
  popNewest(): string | undefined;
  /** The queued lines, oldest first. */
  queued(): readonly string[];
  /** True if the queue is open and empty. */
  isIdle(): boolean;
  /** Returns the next line, or undefined once the queue is closed. */
  next(): Promise<string | undefined>;
  /** Returns the next line that is typed after this call. Lines already queued cannot be answers to a new question. */
  nextTyped(): Promise<string | undefined>;
  /** Resolves a pending `nextTyped` with undefined; returns false if there is none. */
  cancelNextTyped(): boolean;
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
    popNewest() {
      const line = waiting.pop();
      onChange(waiting);
      return line;
    },
    queued: () => [...waiting],
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
    cancelNextTyped: () => answer(undefined),
    close() {
      closed = true;
      answer(undefined);
      changed();
    },
  };
}
