import { ProcessTerminal } from './pi-tui.ts';
import type { PaintTarget } from './canvas.ts';

/** A terminal with its keys: raw mode and bracketed paste from `start` to `stop`. */
export interface Device extends PaintTarget {
  start(onInput: (data: string) => void, onResize: () => void): void;
  stop(): void;
}

/** What a program must never leave behind: a hidden cursor, paste marks, an open frame, another keyboard protocol. */
const RESTORE = '\u001b[?2026l\u001b[?25h\u001b[?2004l\u001b[>4;0m';

/** The terminal of the process. */
export function openDevice(): Device {
  const terminal = new ProcessTerminal();
  let started = false;
  const restore = () => {
    if (!started) return;
    started = false;
    process.off('exit', restore);
    terminal.stop();
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
    // Node has the size of the last signal, and the next one may be on its way. Asking anew is what it does when one comes.
    measure: () => (process.stdout as { _refreshSize?(): void })._refreshSize?.(),
    start(onInput, onResize) {
      started = true;
      // Also where a fault ends the process before anybody could stop it.
      process.once('exit', restore);
      terminal.start(onInput, onResize);
    },
    stop: restore,
  };
}
