import { fstatSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import type { Clock } from '../../base/index.ts';
import type { EnvironmentVariables } from '../../config/index.ts';
import type { EarlyInput } from './terminal/early-input.ts';

/** What stdin is connected to: a terminal, nothing, a socket of the parent program, or a pipe or file. */
export type InputKind = 'terminal' | 'none' | 'socket' | 'stream';
export type OutputStream = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** The streams and the environment of the command line; tests pass their own. */
export type CliIo = {
  stdin: Readable;
  inputKind: InputKind;
  stdout: OutputStream;
  stderr: OutputStream;
  env: EnvironmentVariables;
  workingDirectory: string;
  /** The system clock unless a test passes another one. */
  clock?: Clock;
  /** The input line that was shown before the program was loaded. */
  earlyInput?: EarlyInput;
};

export function processIo(): CliIo {
  return {
    // A getter, because opening stdin takes 2 ms and many commands never read it.
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
    // The descriptor was closed before Hermes started.
    return 'none';
  }
}

/** Whether stdin and stdout are a terminal, so that Hermes can prompt and draw. */
export function isTerminal(io: CliIo): boolean {
  return io.inputKind === 'terminal' && io.stdout.isTTY === true;
}
