import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import type { TemporaryHome } from '../../../src/testing/index.ts';
import { type Background, createEmulator, type Emulator } from './emulator.ts';
import { type Key, keyBytes, pasteBytes } from './keys.ts';
import { killTree, processTree } from './process-tree.ts';
import { createWaiters, type Sight } from './waiters.ts';

const BINARY = join(import.meta.dirname, '../../../bin/hermes.js');

export type TerminalOptions = {
  home: TemporaryHome;
  args?: readonly string[];
  columns?: number;
  rows?: number;
  /** Added to an environment that otherwise holds only what every program needs; undefined takes one away. */
  env?: Record<string, string | undefined>;
  background?: Background;
  /** For Node, before the program. */
  nodeArguments?: readonly string[];
  /** Runs in a shell around the program, which is `"$@"` in it: for what stands before it and comes after it. */
  script?: string;
};

/** A person at a terminal in which the built program runs. */
export interface TerminalProcess extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly exited: Promise<number>;
  /** The process of the program itself, whatever runs around it. */
  pid(): number;
  type(text: string): void;
  press(...keys: Key[]): void;
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  screen(): string[];
  scrollback(): string[];
  /** All that was written so far. */
  bytes(): string;
  /** Resolves once this is to be seen, at the latest when it has been drawn whole; rejects with the screen. */
  until(sight: Sight): Promise<void>;
  /** Ends the program and all that it has started. */
  end(): Promise<void>;
}

export function startTerminalProcess(options: TerminalOptions): TerminalProcess {
  const { columns = 100, rows = 40, background } = options;
  const pty = spawnInTerminal(options, { cols: columns, rows });
  const emulator = createEmulator({ columns, rows, background, onReply: (text) => pty.write(text) });
  const waiters = createWaiters(emulator);
  let [bytes, hasEnded] = ['', false];
  pty.onData((text) => {
    bytes += text;
    emulator.write(text, waiters.look);
  });
  const exited = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode }) => {
      hasEnded = true;
      // What was written last is looked at before anyone hears of the end.
      emulator.write('', () => {
        waiters.close(`the program ended with ${exitCode}`);
        resolve(exitCode);
      });
    }),
  );
  const end = async () => {
    if (!hasEnded) killTree(pty.pid);
    await exited;
    emulator.terminal.dispose();
  };
  // A test's own clean-up comes before what it registered for its end, and the program would write into a home that is gone.
  options.home.beforeRemoval(end);
  return {
    emulator,
    exited,
    end,
    screen: emulator.screen,
    scrollback: emulator.scrollback,
    until: waiters.until,
    pid: () => (options.script === undefined ? pty.pid : findProgram(pty.pid)),
    type: (text) => pty.write(text),
    press: (...keys) => pty.write(keys.map(keyBytes).join('')),
    paste: (text) => pty.write(pasteBytes(text)),
    resize(newColumns, newRows) {
      // In this order, as in a real one: the window has changed before the program hears of it.
      emulator.resize(newColumns, newRows);
      pty.resize(newColumns, newRows);
    },
    bytes: () => bytes,
    [Symbol.asyncDispose]: end,
  };
}

/** Below the shell that runs around it, whose own command names it too; the shell where it does not run. */
function findProgram(shell: number): number {
  const isProgram = (command: string) => command.startsWith(process.execPath) && command.includes(BINARY);
  return processTree(shell).find(({ command }) => isProgram(command))?.pid ?? shell;
}

function spawnInTerminal({ home, args = [], env, nodeArguments = [], script }: TerminalOptions, size: object) {
  const command = [process.execPath, ...nodeArguments, BINARY, ...args];
  const { NODE_COMPILE_CACHE } = process.env;
  // The name of the shell itself comes first among its arguments.
  const [file = '', ...rest] = script === undefined ? command : ['/bin/sh', '-c', script, 'sh', ...command];
  return spawn(file, rest, {
    ...size,
    cwd: home.workspace,
    env: {
      PATH: process.env['PATH'] ?? '',
      TMPDIR: tmpdir(),
      ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
      HOME: home.userHome,
      HERMES_HOME: home.path,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      ...env,
    },
  });
}
