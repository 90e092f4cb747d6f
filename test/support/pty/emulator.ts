import { createRequire } from 'node:module';
import type { IBufferLine, Terminal } from '@xterm/headless';
import { type ClearCounts, watchClears } from './watch-clears.ts';

// No named imports: each package is one function that assigns its exports.
const require = createRequire(import.meta.url);
const xterm = require('@xterm/headless') as typeof import('@xterm/headless');
const graphemes = require('@xterm/addon-unicode-graphemes') as typeof import('@xterm/addon-unicode-graphemes');

export type Background = 'dark' | 'light';
const BACKGROUNDS: Record<Background, string> = { dark: 'rgb:1e1e/1e1e/1e1e', light: 'rgb:ffff/ffff/ffff' };

/** The contents of a terminal, from the bytes that a program has written. */
export interface Emulator {
  readonly terminal: Terminal;
  readonly clears: ClearCounts;
  write(text: string, shown: () => void): void;
  resize(columns: number, rows: number): void;
  /** Whether a frame is incomplete; until it is complete, its contents are not visible. */
  isDrawing(): boolean;
  /** The visible lines without trailing spaces. */
  screen(): string[];
  /** All lines since the terminal was opened; lines that the terminal wrapped are joined. */
  scrollback(): string[];
}

type EmulatorOptions = {
  columns: number;
  rows: number;
  /** If undefined, the terminal does not answer the query for its background. */
  background?: Background;
  /** Data that the terminal sends by itself, such as the answer to a query for its type. */
  onReply(text: string): void;
};

/** More lines than any test writes, so a missing line must have been erased. */
const SCROLLBACK = 200_000;

export function createEmulator({ columns, rows, background, onReply }: EmulatorOptions): Emulator {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: SCROLLBACK, allowProposedApi: true });
  // The emulator's own table is that of Unicode in 2010, in which emoji are narrow; current terminals differ.
  terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
  terminal.onData(onReply);
  terminal.parser.registerOscHandler(11, (data) => {
    if (data === '?' && background) onReply(`\u001b]11;${BACKGROUNDS[background]}\u001b\\`);
    return true;
  });
  terminal.parser.registerOscHandler(10, (data) => {
    if (data === '?' && background)
      onReply(`\u001b]10;${BACKGROUNDS[background === 'dark' ? 'light' : 'dark']}\u001b\\`);
    return true;
  });
  const clears = watchClears(terminal);
  return {
    terminal,
    clears,
    write: (text, shown) => terminal.write(text, shown),
    resize: (newColumns, newRows) => terminal.resize(newColumns, newRows),
    isDrawing: () => terminal.modes.synchronizedOutputMode,
    screen() {
      const { baseY } = terminal.buffer.active;
      return bufferLines(terminal, baseY, baseY + terminal.rows).map((line) => line.translateToString(true).trimEnd());
    },
    scrollback: () => joinWrapped(bufferLines(terminal, 0, terminal.buffer.active.length)),
  };
}

function bufferLines(terminal: Terminal, start: number, end: number): IBufferLine[] {
  const { active } = terminal.buffer;
  return Array.from({ length: end - start }, (_, index) => active.getLine(start + index)).filter(
    (line) => line !== undefined,
  );
}

function joinWrapped(lines: readonly IBufferLine[]): string[] {
  const joined: string[] = [];
  for (const [index, line] of lines.entries()) {
    // Trailing spaces of a wrapped line belong to the text.
    const text = line.translateToString(lines[index + 1]?.isWrapped !== true);
    if (line.isWrapped && joined.length > 0) joined.push(`${joined.pop()}${text}`);
    else joined.push(text);
  }
  const trimmed = joined.map((line) => line.trimEnd());
  while (trimmed.at(-1) === '') trimmed.pop();
  return trimmed;
}
