import { ProcessTerminal } from './pi-tui.ts';
import type { PaintTarget } from './canvas.ts';

/** A terminal with key input: raw mode and bracketed paste are on from `start` to `stop`. */
export interface Device extends PaintTarget {
  start(onInput: (data: string) => void, onResize: () => void): void;
  stop(): void;
  /** Whether input was read that nobody has received yet. */
  hasUnread?(): boolean;
}

/** Ends synchronized output, shows the cursor, and turns off bracketed paste and the extended keyboard protocol. */
const RESTORE = '\u001b[?2026l\u001b[?25h\u001b[?2004l\u001b[>4;0m';

/** The terminal of the process. */
export function openDevice(): Device {
  const terminal = new ProcessTerminal();
  let started = false;
  const restore = () => {
    if (!started) return;
    started = false;
    process.off('exit', restore);
    try {
      terminal.stop();
      // The early input line may have set it before, and then `stop` does not reset it.
      process.stdin.setRawMode?.(false);
    } catch {
      // The terminal was closed, so its mode cannot be restored.
    }
    terminal.write(RESTORE);
  };
  return {
    get columns() {
      return terminal.columns;
    },
    get rows() {
      return terminal.rows;
    },
    write: (data) => terminal.write(data),
    // Node caches the size of the last SIGWINCH, and the next one may be pending. `_refreshSize` is what Node calls
    // on the signal.
    measure: () => (process.stdout as { _refreshSize?(): void })._refreshSize?.(),
    start(onInput, onResize) {
      started = true;
      // The terminal is restored even if an uncaught error ends the process before `stop` is called.
      process.once('exit', restore);
      terminal.start(onInput, onResize);
    },
    stop: restore,
    hasUnread: () => process.stdin.readableLength > 0,
  };
}
