import type { CliIo } from './cli-io.ts';

/** 128 + SIGPIPE, as every other program that loses its reader. */
const BROKEN_PIPE_EXIT_CODE = 141;
const INTERRUPTED_EXIT_CODE = 130;

export type SignalWatch = {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  stop(): void;
};

/**
 * The first Ctrl-C or request to end aborts the signal, so that the turn ends and is saved; a second one leaves at
 * once. Nothing is lost by that: every message is stored when it happens.
 */
export function watchSignals(exit: (code: number) => never = process.exit): SignalWatch {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) exit(INTERRUPTED_EXIT_CODE);
    controller.abort(new Error(name));
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

/** A reader that has had enough (`hermes … | head -1`) is no error worth a message. */
export function endQuietlyOnBrokenPipe(io: CliIo, exit: (code: number) => never = process.exit): void {
  for (const stream of [io.stdout, io.stderr]) {
    stream.on('error', (thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'EPIPE' || thrown.code === 'EIO') exit(BROKEN_PIPE_EXIT_CODE);
      throw thrown;
    });
  }
}
