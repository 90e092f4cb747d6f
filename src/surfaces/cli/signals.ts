import { HermesError } from '../../base/index.ts';

/** Thrown when a signal arrives before a turn has started. */
export class StoppedBySignal extends HermesError {}

/** Handles the signals that ask the process to exit. */
export interface SignalWatch {
  /** Rejects on the first signal if no handler was set yet, because there is nothing to save. */
  readonly stopped: Promise<never>;
  /** Sets the handler of the first signal. Throws if a signal has already arrived. */
  setHandler(onSignal: (name: string) => void): void;
  stop(): void;
}

/**
 * The first SIGINT, SIGTERM or SIGHUP is passed to the current handler, so that a turn can end and be saved. The
 * second one exits immediately, which loses nothing because every message is stored as it is created.
 */
export function watchSignals(leave: () => void): SignalWatch {
  let first: StoppedBySignal | undefined;
  let handle: ((name: string) => void) | undefined;
  const stopped = Promise.withResolvers<never>();
  // Prevents an unhandled rejection if nobody waits for it.
  stopped.promise.catch(() => undefined);
  const onSignal = (name: NodeJS.Signals) => {
    if (first !== undefined) return leave();
    first = new StoppedBySignal(`Stopped by ${name} before anything was started.`);
    return handle === undefined ? stopped.reject(first) : handle(name);
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    stopped: stopped.promise,
    setHandler(taker) {
      if (first !== undefined) throw first;
      handle = taker;
    },
    stop() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
