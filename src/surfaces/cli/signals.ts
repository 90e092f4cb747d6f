import { HermesError } from '../../base/index.ts';

/** A signal came before there was a turn that it could end. */
export class StoppedBySignal extends HermesError {}

/** The signals that ask the process to end. */
export interface SignalWatch {
  /** Rejects at a first signal that nobody has taken over yet: there is nothing to save. */
  readonly stopped: Promise<never>;
  /** From now on the first signal is for this. Throws where it has come already. */
  takeOver(onSignal: (name: string) => void): void;
  stop(): void;
}

/**
 * The first Ctrl-C or request to end is for whoever has taken over, so that a turn ends and is saved; at a second one
 * the process leaves at once. Nothing is lost by that: every message is stored when it happens.
 */
export function watchSignals(leave: () => void): SignalWatch {
  let first: StoppedBySignal | undefined;
  let handle: ((name: string) => void) | undefined;
  const stopped = Promise.withResolvers<never>();
  // Whoever does not wait for it has other ways to hear of the signal.
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
    takeOver(taker) {
      if (first !== undefined) throw first;
      handle = taker;
    },
    stop() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
