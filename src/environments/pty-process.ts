import { ConfigurationError } from '../base/index.ts';
import type { ProcessEnding, RunningProcess, StartOptions } from '../contracts/index.ts';
import { hasLinuxFacilities } from '../util/index.ts';
import { recordOf, signalNameOf } from './launched-command.ts';
import { createOutputListeners } from './piped-process.ts';
import { terminateTree, killTree, type ProcessTree } from './process-tree.ts';

type Size = NonNullable<StartOptions['pty']>;

export type PtyOptions = {
  file: string;
  args: string[];
  directory: string;
  env: Record<string, string>;
  mark: string;
  holder?: string | undefined;
  size: Size;
};

/** What to run in a pseudo-terminal, and a callback for its output. */
export type TerminalStart = Omit<PtyOptions, 'holder'> & { onOutput(text: string): void };

/** A program in a pseudo-terminal. */
export type TerminalProgram = {
  pid: number;
  write(data: string | Uint8Array): void;
  resize(columns: number, rows: number): void;
  /** Resolves when the program has exited and all output was passed on. A signal of 0 means none. */
  ended: Promise<{ exitCode: number; signal: number }>;
};

/** Starts a command in a pseudo-terminal. `endNow` kills it synchronously at exit. */
export async function startInPty(options: PtyOptions): Promise<{ running: RunningProcess; endNow(): void }> {
  const { mark, holder } = options;
  const output = createOutputListeners();
  const env = { ...options.env, TERM: 'xterm-256color' };
  const terminal = await openTerminal({ ...options, env, onOutput: output.push });
  const { pid } = terminal;
  let over = false;
  const ended = terminal.ended.then(({ exitCode, signal }): ProcessEnding => {
    over = true;
    if (signal === 0) return { exitCode, signalName: undefined };
    return { exitCode: undefined, signalName: signalNameOf(signal) ?? `signal ${signal}` };
  });
  const tree: ProcessTree = { pid, tag: mark, supervisor: holder };
  const write = async (data: string | Uint8Array) => {
    if (over) throw new Error(`stdin of process ${pid} is closed`);
    terminal.write(data);
  };
  const running: RunningProcess = {
    pid,
    record: recordOf(pid, mark),
    onOutput: output.listen,
    write,
    closeInput: () => void write('\u0004').catch(() => undefined),
    resize: (columns, rows) => {
      if (!over) terminal.resize(columns, rows);
    },
    kill: () => terminateTree(tree),
    ended,
  };
  return { running, endNow: () => killTree(tree) };
}

/** Loaded from its own package, because its native module cannot be bundled. */
async function openTerminal(start: TerminalStart): Promise<TerminalProgram> {
  const { spawn } = await import('@lydell/node-pty').catch((cause: unknown) => {
    throw new ConfigurationError(
      'Could not open a pseudo-terminal for the command: @lydell/node-pty is not installed.',
      {
        hint: 'Run the command without pty, or reinstall Hermes without --omit=optional.',
        cause,
      },
    );
  });
  return hasLinuxFacilities()
    ? (await import('./linux-terminal.ts')).openLinuxTerminal(start)
    : openAnyTerminal(spawn, start);
}

function openAnyTerminal(
  spawn: typeof import('@lydell/node-pty').spawn,
  { file, args, env, directory, size, onOutput }: TerminalStart,
): TerminalProgram {
  const pty = spawn(file, args, { cols: size.columns, rows: size.rows, cwd: directory, name: 'xterm-256color', env });
  pty.onData(onOutput);
  return {
    pid: pty.pid,
    // The types allow only strings, but bytes are passed through unchanged.
    write: (data) => pty.write((typeof data === 'string' ? data : Buffer.from(data)) as string),
    resize: (columns, rows) => pty.resize(columns, rows),
    ended: new Promise((resolve) =>
      pty.onExit(({ exitCode, signal = 0 }) => {
        resolve({ exitCode, signal });
      }),
    ),
  };
}
