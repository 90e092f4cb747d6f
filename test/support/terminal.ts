import type { TemporaryHome } from '../../src/testing/index.ts';
import { openTerminal } from './open-terminal.ts';

/** A user at a terminal in plain mode who waits for output and then types. */
export function startTerminal(home: TemporaryHome, args: readonly string[], size = { cols: 100, rows: 40 }) {
  const { bytes, exited, resize, type, until } = openTerminal({
    home,
    args,
    columns: size.cols,
    rows: size.rows,
    // Plain mode, because these tests are about the chat and not about how the screen draws it.
    env: { TERM: 'xterm', NO_COLOR: '1', HERMES_PLAIN: '1' },
  });
  let position = 0;
  return {
    exited,
    type,
    resize,
    output: bytes,
    /** Waits for a text after the previously found one. */
    see: (text: string) =>
      until(() => {
        const at = bytes().indexOf(text, position);
        if (at >= 0) position = at + text.length;
        return at >= 0;
      }),
  };
}
