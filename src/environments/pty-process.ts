import { ConfigurationError } from '../base/index.ts';
import type { ProcessEnding, RunningProcess, StartOptions } from '../contracts/index.ts';
import { recordOf, signalNameOf } from './launched.ts';
import { createOutputListeners } from './piped-process.ts';
import { endTree, killTree, type ProcessTree } from './process-tree.ts';

type Size = NonNullable<StartOptions['pty']>;

export type PtyOptions = {
  file: string;
  args: string[];
  directory: string;
  env: Record<string, string>;
  mark: string;
  holder?: string;
  size: Size;
};

/** What is to run in a terminal, and who hears of what it prints. */
export type TerminalStart = Omit<PtyOptions, 'holder'> & { onOutput(text: string): void };

/** A program in a terminal. */
export type TerminalProgram = {
  pid: number;
  write(data: string | Uint8Array): void;
  resize(columns: number, rows: number): void;
  /** When it has ended and all it printed was handed on; a signal of 0 is none. */
  ended: Promise<{ exitCode: number; signal: number }>;
};

/** A started command in a terminal, and what a leaving program calls. */
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
  const tree: ProcessTree = { pid, mark, ...(holder !== undefined && { holder }) };
  const write = async (data: string | Uint8Array) => {
    if (over) throw new Error(`process ${pid} does not read any more`);
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
    kill: () => endTree(tree),
    ended,
  };
  return { running, endNow: () => killTree(tree) };
}

/** A package of its own, since it cannot be part of a bundle: it brings a piece of machine code per platform. */
async function openTerminal(start: TerminalStart): Promise<TerminalProgram> {
  const { spawn } = await import('@lydell/node-pty').catch((cause: unknown) => {
    throw new ConfigurationError('A terminal for the command cannot be opened: @lydell/node-pty is not installed.', {
      hint: 'Run the command without a terminal (pty), or install Hermes again without --omit=optional.',
      cause,
    });
  });
  return process.platform === 'linux'
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
    // Its types know only text; bytes go through as they are.
    write: (data) => pty.write((typeof data === 'string' ? data : Buffer.from(data)) as string),
    resize: (columns, rows) => pty.resize(columns, rows),
    ended: new Promise((resolve) =>
      pty.onExit(({ exitCode, signal = 0 }) => {
        resolve({ exitCode, signal });
      }),
    ),
  };
}
