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
  /** The JavaScript file to run, instead of Hermes. */
  program?: string;
  args?: readonly string[];
  columns?: number;
  rows?: number;
  /** Added to a minimal environment; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  background?: Background;
  /** Options for Node. */
  nodeArguments?: readonly string[];
  /** A shell script that runs the program as `"$@"`, with commands before and after it. */
  script?: string;
};

/** A terminal in which the built program runs, with the actions of a user. */
export interface TerminalProcess extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly exited: Promise<number>;
  /** The pid of the program itself, even if it runs inside a shell. */
  pid(): number;
  type(text: string): void;
  press(...keys: Key[]): void;
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  screen(): string[];
  scrollback(): string[];
  /** Everything written so far. */
  bytes(): string;
  /** Resolves when this is visible in a complete frame; rejects with the screen. */
  until(sight: Sight): Promise<void>;
  /** Closes the terminal, as if its window was closed. */
  hangUp(): void;
  /** Kills the program and all its descendants. */
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
      // The last output is processed before the exit is reported.
      emulator.write('', () => {
        waiters.close(`the program exited with code ${exitCode}`);
        resolve(exitCode);
      });
    }),
  );
  const end = async () => {
    if (!hasEnded) killTree(pty.pid);
    await exited;
    emulator.terminal.dispose();
  };
  // The test removes its home before its cleanup hooks run, and the program would write to the removed home.
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
      // In the order of a real terminal: the window changes before the program is notified.
      emulator.resize(newColumns, newRows);
      pty.resize(newColumns, newRows);
    },
    // The type declarations do not contain it.
    hangUp: () => (pty as unknown as { destroy(): void }).destroy(),
    bytes: () => bytes,
    [Symbol.asyncDispose]: end,
  };
}

/**
 * Finds the program among the descendants of a shell whose own command line contains the program's path too. Returns
 * the shell if the program is not running.
 */
function findProgram(shell: number): number {
  const isProgram = (command: string) => command.startsWith(process.execPath) && command.includes(BINARY);
  return processTree(shell).find(({ command }) => isProgram(command))?.pid ?? shell;
}

function spawnInTerminal(
  { home, program = BINARY, args = [], env, nodeArguments = [], script }: TerminalOptions,
  size: object,
) {
  const command = [process.execPath, ...nodeArguments, program, ...args];
  const { NODE_COMPILE_CACHE } = process.env;
  // The first argument is the name of the shell.
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
