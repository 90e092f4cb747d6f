import type { Emulator } from './emulator.ts';

/** A condition to wait for: a text or regular expression anywhere in the lines, or a predicate on the visible lines. */
export type Sight = string | RegExp | ((screen: string[], scrollback: () => string[]) => boolean);

type Waiter = { isOver(): boolean; giveUp(reason: string): void };

/** Much longer than any wait should take. A test that hangs fails with the contents of the screen. */
const TIMEOUT_MS = 50_000;

export function createWaiters(emulator: Emulator) {
  const waiters = new Set<Waiter>();
  let closed: string | undefined;
  return {
    /** Call it whenever something was drawn. */
    look(): void {
      if (emulator.isDrawing()) return;
      for (const waiter of waiters) if (waiter.isOver()) waiters.delete(waiter);
    },
    close(reason: string): void {
      closed = reason;
      for (const waiter of waiters) if (!waiter.isOver()) waiter.giveUp(reason);
      waiters.clear();
    },
    until(sight: Sight): Promise<void> {
      // Created here, because only here is the waiting test in the stack trace.
      const failure = new Error();
      return new Promise((resolve, reject) => {
        const giveUp = (reason: string) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          failure.message = `${describe(sight)} did not appear: ${reason}.\n${picture(emulator)}`;
          reject(failure);
        };
        const waiter: Waiter = {
          giveUp,
          isOver() {
            if (!isSeen(sight, emulator)) return false;
            clearTimeout(timer);
            resolve();
            return true;
          },
        };
        const timer = setTimeout(() => giveUp(`timed out after ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS);
        if (!emulator.isDrawing() && waiter.isOver()) return;
        if (closed === undefined) waiters.add(waiter);
        else giveUp(closed);
      });
    },
  };
}

function isSeen(sight: Sight, emulator: Emulator): boolean {
  if (typeof sight === 'function') return sight(emulator.screen(), emulator.scrollback);
  const text = emulator.scrollback().join('\n');
  return typeof sight === 'string' ? text.includes(sight) : new RegExp(sight.source, sight.flags).test(text);
}

function describe(sight: Sight): string {
  return typeof sight === 'string' ? JSON.stringify(sight) : String(sight);
}

function picture({ screen, terminal }: Emulator): string {
  const edge = '─'.repeat(terminal.cols);
  return [`┌${edge}┐`, ...screen().map((line) => `│${line}`), `└${edge}┘`].join('\n');
}
