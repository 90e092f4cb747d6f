import type { CliIo, OutputStream } from './cli-io.ts';

/** 128 + SIGPIPE, the usual exit code of a program whose output pipe was closed. */
export const BROKEN_PIPE_EXIT_CODE = 141;
/** How long an exiting process waits for a slow reader to receive the last lines. */
const FLUSH_TIMEOUT_MS = 500;

/**
 * Exits when stdout or stderr can no longer be written. A closed pipe (`hermes … | head -1`) is not an error worth a
 * message. A full disk is, but a stack trace would not help.
 */
export function exitOnOutputError(io: CliIo, exit: (code: number) => void = process.exit): void {
  const onError = (name: string) => (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EPIPE' || thrown.code === 'EIO') return exit(BROKEN_PIPE_EXIT_CODE);
    if (name === 'output') io.stderr.write(`hermes: Cannot write to standard output: ${thrown.message}.\n`);
    return exit(1);
  };
  io.stdout.on('error', onError('output'));
  io.stderr.on('error', onError('error'));
}

/** Resolves when everything has been written, or when the stream is closed. */
export function flushed(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}

/** Exits immediately, or as soon as a slow reader has received the last lines. */
export function exitWhenFlushed(stream: OutputStream, exitCode: number): void {
  if (stream.destroyed || stream.writableLength === 0) process.exit(exitCode);
  setTimeout(() => process.exit(exitCode), FLUSH_TIMEOUT_MS);
  void flushed(stream).then(() => process.exit(exitCode));
}
