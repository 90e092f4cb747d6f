import type { FirstFrame } from './first-frame.ts';

/**
 * An input line that is shown while the program loads. It only echoes simple typing: all keys are returned to stdin,
 * so the screen handles them as if they were typed then.
 */
export interface EarlyInput {
  /** Reads and echoes waiting keys. Called between the steps of loading, which block the process. */
  readKeys(): Promise<void>;
  /** Stops reading and echoing, and returns what the terminal shows. Raw mode stays on. */
  handOver(): FirstFrame;
  /** Erases the line and restores the terminal, unless `handOver` was called. */
  release(): void;
}

export type EarlyTerminal = {
  stdin: Pick<NodeJS.ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause' | 'unshift'>;
  stdout: Pick<NodeJS.WriteStream, 'write' | 'columns'>;
  stderr: Pick<NodeJS.WriteStream, 'write'>;
  exit(code: number): void;
};

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const CLEAR_BELOW = '\u001b[J';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED_EXIT_CODE = 130;

/** Draws the frame and starts to read keys. */
export function openEarlyInput(frame: FirstFrame, terminal: EarlyTerminal = process): EarlyInput {
  const { stdin, stdout, stderr, exit } = terminal;
  const { lines, cursor } = frame;
  const kept: Buffer[] = [];
  const echo = createEcho((text) => writeNow(text), { columns: stdout.columns, start: cursor.column });
  let isOpen = true;

  const onData = (data: Buffer) => {
    kept.push(data);
    const leaving = echo.take(data.toString());
    if (leaving === undefined) return;
    release();
    exit(leaving);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    const isHandled = process.listenerCount(signal) > 0;
    release();
    // By default a signal ends the process, which would leave the terminal in raw mode.
    if (!isHandled) process.kill(process.pid, signal);
  };
  // Whatever else is printed must not be appended to the line.
  const writes = [stdout, stderr].map((stream) => interceptWrites(stream, release));
  const writeNow: typeof stdout.write = (...given: [never]) => writes[0]?.write(...given) ?? true;

  function stop(): void {
    isOpen = false;
    for (const { restore } of writes) restore();
    stdin.off('data', onData).off('error', release);
    stdin.pause();
    process.off('exit', release);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    if (kept.length > 0) stdin.unshift(Buffer.concat(kept));
  }

  function release(): void {
    if (!isOpen) return;
    stop();
    try {
      stdin.setRawMode(false);
    } catch {
      // The terminal was closed.
    }
    stdout.write(moveUp(cursor.row) + CLEAR_BELOW + PASTE_OFF);
  }

  process.once('exit', release);
  for (const signal of SIGNALS) process.once(signal, onSignal);
  stdin.setRawMode(true);
  // Reading from a terminal that was closed fails; the signal that follows ends the program.
  stdin.on('data', onData).once('error', release).resume();
  const below = lines.length - 1 - cursor.row;
  writeNow(`${PASTE_ON}${lines.join('\r\n')}${moveUp(below)}${toColumn(cursor.column)}`);
  return {
    async readKeys() {
      // Two turns of the event loop: the first may already be past the phase in which input is read.
      for (let turn = 0; turn < 2 && isOpen; turn += 1) await new Promise(setImmediate);
    },
    handOver() {
      const text = echo.shown();
      if (isOpen) stop();
      const drawn = lines.map((line, row) => (row === cursor.row ? line + text : line));
      return { lines: drawn, cursor: { row: cursor.row, column: cursor.column + text.length } };
    },
    release,
  };
}

/** Calls `before` before the first write by anyone else. */
function interceptWrites(stream: Pick<NodeJS.WriteStream, 'write'>, before: () => void) {
  const write = stream.write.bind(stream);
  stream.write = ((...given: Parameters<typeof write>) => {
    before();
    return write(...given);
  }) as typeof stream.write;
  return {
    write,
    restore: () => void delete (stream as Partial<typeof stream>).write,
  };
}

/** Characters of one column, for which the echo is exact. */
const NARROW = /^[ -~\u00a1-\u02ff]$/;

/**
 * Echoes keys as the screen would draw them. After the first key that needs more than that, it shows nothing further;
 * `take` returns the exit code if a key leaves the program.
 */
function createEcho(write: (text: string) => void, { columns, start }: { columns: number; start: number }) {
  let [text, isExact, hasSent] = ['', true, false];
  const clear = () => {
    if (text !== '') write(`${toColumn(start)}\u001b[K`);
    text = '';
  };
  const keys: Readonly<Record<string, () => number | undefined | void>> = {
    // Ctrl-C clears the line, or leaves. A line that was sent is not abandoned.
    '\u0003': () => (text === '' && !hasSent ? INTERRUPTED_EXIT_CODE : clear()),
    '\u0004': () => (text === '' && !hasSent ? 0 : stopEcho()),
    '\u0015': clear,
    '\u007f'() {
      if (text !== '') write('\b \b');
      text = text.slice(0, -1);
    },
    '\r'() {
      hasSent = true;
      clear();
    },
  };
  const stopEcho = () => {
    isExact = false;
  };
  return {
    shown: () => text,
    take(data: string): number | undefined {
      let added = '';
      for (const key of data) {
        if (!isExact) break;
        const isText = NARROW.test(key) && start + text.length + 1 < columns - 1;
        if (isText) {
          added += key;
          text += key;
          continue;
        }
        write(added);
        added = '';
        const leaving = keys[key] === undefined ? stopEcho() : keys[key]();
        if (typeof leaving === 'number') return leaving;
      }
      write(added);
      return undefined;
    },
  };
}

function moveUp(rows: number): string {
  return rows === 0 ? '\r' : `\r\u001b[${rows}A`;
}

function toColumn(column: number): string {
  return column === 0 ? '\r' : `\r\u001b[${column}C`;
}
