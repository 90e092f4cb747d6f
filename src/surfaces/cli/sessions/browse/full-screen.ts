import type { CliIo } from '../../cli-io.ts';

/** The whole terminal as a list of lines. What was on it before comes back at the end. */
export interface FullScreen {
  readonly columns: number;
  readonly rows: number;
  draw(lines: readonly string[]): void;
  close(): void;
}

// A second screen, no cursor, and nothing runs over into the next line.
const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

export function openFullScreen({ stdout }: CliIo, onResize: () => void): FullScreen {
  const size = stdout as { columns?: number; rows?: number };
  let isOpen = true;
  let shown = '';
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    stdout.write(CLOSE);
    stdout.off('resize', onResize);
    process.off('exit', close);
  };
  // Also where a signal or a fault ends the process: a terminal without a cursor is a broken one.
  process.on('exit', close);
  stdout.on('resize', onResize);
  stdout.write(OPEN);
  return {
    get columns() {
      return size.columns ?? 80;
    },
    get rows() {
      return size.rows ?? 24;
    },
    draw(lines) {
      // Cleared before it is written: behind a full line the clearing would take its last character.
      const frame = `\u001b[H${lines.map((line) => `\u001b[2K${line}`).join('\r\n')}`;
      if (isOpen && frame !== shown) stdout.write(frame);
      shown = frame;
    },
    close,
  };
}
