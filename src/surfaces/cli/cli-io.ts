import type { Readable, Writable } from 'node:stream';
import type { EnvironmentVariables } from '../../config/index.ts';

export type InputStream = Readable & { isTTY?: boolean; fd?: number };
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

/** What the command line reads from and writes to; a test brings its own. */
export type CliIo = {
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  env: EnvironmentVariables;
  workingDirectory: string;
};

export function processIo(): CliIo {
  return {
    // Touched lazily: opening standard input alone costs a start of -z nothing when nobody reads it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    workingDirectory: process.cwd(),
  };
}

/** Someone sits in front of it: can be asked, and sees what is drawn. */
export function isTerminal(io: CliIo): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true;
}
