import { fstatSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import type { EnvironmentVariables } from '../../config/index.ts';

/** What standard input is: someone who types, nothing at all, a program's socket, or a pipe or file. */
export type InputKind = 'terminal' | 'none' | 'socket' | 'stream';
export type OutputStream = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** What the command line reads from and writes to; a test brings its own. */
export type CliIo = {
  stdin: Readable;
  inputKind: InputKind;
  stdout: OutputStream;
  stderr: OutputStream;
  env: EnvironmentVariables;
  workingDirectory: string;
};

export function processIo(): CliIo {
  return {
    // Opening it costs 2 ms, which a start that does not read it need not pay.
    get stdin() {
      return process.stdin;
    },
    inputKind: kindOf(0),
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    workingDirectory: process.cwd(),
  };
}

function kindOf(descriptor: number): InputKind {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isSocket()) return 'socket';
    if (!stats.isCharacterDevice()) return 'stream';
    return isatty(descriptor) ? 'terminal' : 'none';
  } catch {
    // It was closed before we started.
    return 'none';
  }
}

/** Someone sits in front of it: can be asked, and sees what is drawn. */
export function isTerminal(io: CliIo): boolean {
  return io.inputKind === 'terminal' && io.stdout.isTTY === true;
}
