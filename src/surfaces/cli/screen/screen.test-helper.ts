import { PassThrough } from 'node:stream';
import headless from '@xterm/headless';
import type { CliIo } from '../cli-io.ts';
import type { Device } from './device.ts';
import type { InputHistory } from './input-history.ts';
import type { Reflow } from './canvas.ts';
import { createScreen } from './screen.ts';
import type { ScreenOptions } from './screen-state.ts';

/** The frame interval of the painter. */
const FRAME_MS = 33;
/** How long the painter waits for a stable window size. */
const SETTLE_MS = 50;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A terminal emulator, so that tests see what a user would see. */
export function createTestTerminal(size: { columns: number; rows: number; reflow?: Reflow }) {
  const terminal = new headless.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: 50_000,
    allowProposedApi: true,
    convertEol: false,
    reflowCursorLine: size.reflow === 'all',
  });
  let bytes = '';
  const drawn = () => new Promise<void>((resolve) => terminal.write('', resolve));
  const lineAt = (row: number) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? '';
  return {
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write(data: string) {
      bytes += data;
      terminal.write(data);
    },
    bytes: () => bytes,
    resize(columns: number, rows: number) {
      terminal.resize(columns, rows);
    },
    /** All lines of the scroll-back and the screen, without the empty ones at the end. */
    async lines(): Promise<string[]> {
      await drawn();
      const all = Array.from({ length: terminal.buffer.active.length }, (_, row) => lineAt(row));
      return all.slice(0, all.findLastIndex((line) => line !== '') + 1);
    },
    async cursor(): Promise<{ row: number; column: number }> {
      await drawn();
      const { baseY, cursorY, cursorX } = terminal.buffer.active;
      return { row: baseY + cursorY, column: cursorX };
    },
  };
}

type TestOptions = { size?: { columns: number; rows: number }; env?: Record<string, string | undefined> };

/** Opens a screen on a test terminal and records the handler calls. */
export function openTestScreen(options: Partial<ScreenOptions> & TestOptions = {}) {
  const { size = { columns: 60, rows: 16 }, env = { NO_COLOR: '1' }, ...given } = options;
  const terminal = createTestTerminal(size);
  const seen: [what: string, ...values: unknown[]][] = [];
  const note = (what: string) => (value?: unknown, more?: unknown) => {
    seen.push(more === undefined ? [what, value] : [what, value, more]);
  };
  let [onInput, onResize] = [(_: string) => {}, () => {}];
  const device: Device = Object.create(terminal, {
    start: {
      value(input: (data: string) => void, resize: () => void) {
        [onInput, onResize] = [input, resize];
      },
    },
    stop: { value: () => undefined },
  });
  const history: InputHistory = { load: () => ['older line', 'newer line'], add: note('typed') };
  const io = testIo(env);
  const screen = createScreen(
    {
      io,
      device,
      approvalTimeoutMs: 60_000,
      showReasoning: false,
      themeName: 'auto',
      notify: note('notify'),
      history,
      ...given,
    },
    {
      onLines: note('lines'),
      onInterrupt: note('interrupt'),
      onStop: note('stop'),
      onAnswer: note('answer'),
      onEditQueued: () => 'edited again',
      onPasteImage: note('paste image'),
      onEnd: note('end'),
      onFileDropped: async (path) => {
        seen.push(['file', path]);
        return path.startsWith('/there');
      },
    },
  );
  let wasResized = false;
  return {
    terminal,
    screen,
    seen,
    press: (data: string) => onInput(data),
    resize(columns: number, rows: number) {
      terminal.resize(columns, rows);
      onResize();
      wasResized = true;
    },
    /** Returns what is visible once everything has been drawn. */
    async look(): Promise<string[]> {
      if (wasResized) await pause(SETTLE_MS);
      wasResized = false;
      await pause(FRAME_MS * 2);
      return terminal.lines();
    },
  };
}

function testIo(env: CliIo['env']): CliIo {
  return {
    stdin: new PassThrough(),
    inputKind: 'terminal',
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env,
    workingDirectory: '/',
  };
}
