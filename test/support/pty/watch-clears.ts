import type { Terminal } from '@xterm/headless';

/** Counts actions that make a terminal flicker or destroy text. */
export type ClearCounts = {
  /** Clears of the whole screen, or of everything from its first line on. */
  screen: number;
  /** Clears of the scrollback. */
  scrollback: number;
  /** Switches to the alternate screen, which has no scrollback. */
  alternate: number;
};

const ALTERNATE_MODES = [47, 1047, 1049];

/** Observes commands as the terminal executes them, so that none is missed in a split or unusual spelling. */
export function watchClears(terminal: Terminal): ClearCounts {
  const counts: ClearCounts = { screen: 0, scrollback: 0, alternate: 0 };
  const look = (name: { prefix?: string; final: string }, see: (first: number) => void) =>
    terminal.parser.registerCsiHandler(name, (parameters) => {
      see(typeof parameters[0] === 'number' ? parameters[0] : 0);
      // Only observes: the terminal still runs its own handler.
      return false;
    });
  look({ final: 'J' }, (what) => {
    const { cursorX, cursorY } = terminal.buffer.active;
    if (what === 2 || (what === 0 && cursorX === 0 && cursorY === 0)) counts.screen += 1;
    if (what === 3) counts.scrollback += 1;
  });
  look({ prefix: '?', final: 'h' }, (mode) => {
    if (ALTERNATE_MODES.includes(mode)) counts.alternate += 1;
  });
  terminal.parser.registerEscHandler({ final: 'c' }, () => {
    counts.screen += 1;
    counts.scrollback += 1;
    return false;
  });
  return counts;
}
