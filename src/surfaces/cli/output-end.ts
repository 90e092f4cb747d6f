import type { CliIo, OutputStream } from './cli-io.ts';

/** 128 + SIGPIPE, as every other program that loses its reader. */
export const BROKEN_PIPE_EXIT_CODE = 141;
/** How long a reader that is behind may take for the last lines of a process that leaves. */
const LAST_LINES_MS = 500;

/**
 * Without an output there is nothing to go on for. A reader that has had enough (`hermes … | head -1`) is no error worth
 * a message; a full disk is, but a stack trace says no more about it.
 */
export function endWithoutOutput(io: CliIo, exit: (code: number) => void = process.exit): void {
  const onError = (name: string) => (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EPIPE' || thrown.code === 'EIO') return exit(BROKEN_PIPE_EXIT_CODE);
    if (name === 'output') io.stderr.write(`hermes: Standard output cannot be written: ${thrown.message}.\n`);
    return exit(1);
  };
  io.stdout.on('error', onError('output'));
  io.stderr.on('error', onError('error'));
}

/** Resolves when all that was written is with the reader, or can no longer be. */
export function written(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}

/** Leaves at once, which for a reader that is behind means as soon as it has the last lines. */
export function exitWhenWritten(stream: OutputStream, exitCode: number): void {
  if (stream.destroyed || stream.writableLength === 0) process.exit(exitCode);
  setTimeout(() => process.exit(exitCode), LAST_LINES_MS);
  void written(stream).then(() => process.exit(exitCode));
}
