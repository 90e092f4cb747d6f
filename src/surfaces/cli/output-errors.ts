import type { CliIo, OutputStream } from './cli-io.ts';

/** 128 + SIGPIPE, the usual exit code of a program whose output pipe was closed. */
export const BROKEN_PIPE_EXIT_CODE = 141;
/** The exit code after a lost terminal, like that of SIGHUP, which usually arrives too. */
export const HANG_UP_EXIT_CODE = 130;
/** How long an exiting process waits for a slow reader to receive the last lines. */
const FLUSH_TIMEOUT_MS = 500;

/** Notices that stdout or stderr can no longer be written. */
export interface OutputWatch {
  /** The exit code of the first failure; undefined as long as the output can be written. */
  exitCode(): number | undefined;
  /** Sets the handler of the first failure. Without one the process exits immediately, because no work is running. */
  setHandler(onLost: (exitCode: number) => void): void;
}

/**
 * Watches stdout and stderr. A closed pipe (`hermes … | head -1`) or terminal is not an error worth a message. A full
 * disk is, but a stack trace would not help.
 */
export function watchOutput(io: CliIo, exit: (code: number) => void = process.exit): OutputWatch {
  let exitCode: number | undefined;
  let handle = exit;
  const onError = (stream: OutputStream) => (thrown: NodeJS.ErrnoException) => {
    // Everything that is written afterwards fails too.
    if (exitCode !== undefined) return;
    exitCode = exitCodeOf(thrown, stream);
    if (exitCode === 1 && stream === io.stdout) {
      io.stderr.write(`hermes: Cannot write to standard output: ${thrown.message}.\n`);
    }
    handle(exitCode);
  };
  for (const stream of [io.stdout, io.stderr]) stream.on('error', onError(stream));
  return {
    exitCode: () => exitCode,
    setHandler(onLost) {
      handle = onLost;
      if (exitCode !== undefined) onLost(exitCode);
    },
  };
}

function exitCodeOf({ code }: NodeJS.ErrnoException, { isTTY }: OutputStream): number {
  if (code === 'EIO' && isTTY) return HANG_UP_EXIT_CODE;
  return code === 'EPIPE' || code === 'EIO' ? BROKEN_PIPE_EXIT_CODE : 1;
}

/** Resolves when everything has been written or an error was reported, or when the stream is closed. */
export function flushed(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}

/** Exits immediately, or as soon as a slow reader has received the last lines. */
export function exitWhenFlushed(stream: OutputStream, exitCode: number): void {
  if (stream.destroyed || stream.writableLength === 0) process.exit(exitCode);
  setTimeout(() => process.exit(exitCode), FLUSH_TIMEOUT_MS);
  void flushed(stream).then(() => process.exit(exitCode));
}
