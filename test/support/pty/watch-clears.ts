import type { Terminal } from '@xterm/headless';

/** How often a program did what makes a terminal flicker, or what costs a person text that was there. */
export type ClearCounts = {
  /** The whole screen at once, or everything from its first line on. */
  screen: number;
  /** The lines above the screen. */
  scrollback: number;
  /** A change to the other screen, which has no lines above it. */
  alternate: number;
};

const ALTERNATE_MODES = [47, 1047, 1049];

/** Looks at the commands as the terminal obeys them, so that none hides in a split or odd spelling. */
export function watchClears(terminal: Terminal): ClearCounts {
  const counts: ClearCounts = { screen: 0, scrollback: 0, alternate: 0 };
  const look = (name: { prefix?: string; final: string }, see: (first: number) => void) =>
    terminal.parser.registerCsiHandler(name, (parameters) => {
      see(typeof parameters[0] === 'number' ? parameters[0] : 0);
      // Only a look: the terminal goes on with its own handler.
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
