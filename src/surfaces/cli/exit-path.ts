import { exitFacts, HermesError } from '../../base/index.ts';

/** Thrown when a signal arrives before a turn has started. */
export class StoppedBySignal extends HermesError {}

/** Why the process has to exit before its work is done. */
export type ExitCause = {
  /** What happened, for the turn record: `interrupted by SIGTERM`. */
  readonly reason: string;
  readonly exitCode: number;
  /** The process exits with this code whatever the outcome of its work is, and reports no other error. */
  readonly isFinal: boolean;
  /** The error of a command that is abandoned; `detail` completes its message. */
  error(detail: string): HermesError;
};

/**
 * The one exit path of the command line. Signals, a lost terminal or output, a second Ctrl-C and uncaught errors all
 * take it: running work is stopped, so that tools end and the turn is stored, and then the process exits.
 */
export interface ExitPath {
  /** Rejects on the first request if no handler was set yet, because there is nothing to save. */
  readonly stopped: Promise<never>;
  /** Aborted if running work must end without a grace period. Hermes then exits after `FORCED_EXIT_MS` at the latest. */
  readonly forced: AbortSignal;
  /** The first request; undefined if there was none. */
  cause(): ExitCause | undefined;
  /**
   * Sets the handler of the first request. With a time limit, work that has not ended by then is forced to. Throws if
   * there was a request already.
   */
  setHandler(onRequest: (cause: ExitCause) => void, timeoutMs?: number): void;
  /** Asks running work to end. Only the first request has an effect. */
  request(cause: ExitCause): void;
  /** Like a request, but without a grace period. */
  force(cause: ExitCause): void;
  /** The exit code of the process if its work ended with the given one. */
  exitCode(ofWork: number): number;
  /** The result was written: later signals change neither the output nor the exit code. */
  conclude(exitCode: number): void;
  /** Removes the signal listeners. */
  stop(): void;
}

/** How long stopped work may take to end and to be stored. Longer than the grace period of tools. */
export const STOP_TIMEOUT_MS = 15_000;
/** How long work may take to end after it was forced to. Then the process exits; the lease of a dead process is free. */
const FORCED_EXIT_MS = 10_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number];

export function signalCause(name: string): ExitCause {
  const { exitCode } = exitFacts('interrupted');
  const error = (detail: string) => new StoppedBySignal(`Stopped by ${name}${detail}`);
  return { reason: `interrupted by ${name}`, exitCode, isFinal: false, error };
}

export function lostOutputCause(exitCode: number): ExitCause {
  const reason = 'the output was closed';
  return { reason, exitCode, isFinal: true, error: () => new HermesError(reason) };
}

/** An uncaught error, which has been reported. */
export function faultCause(exitCode: number): ExitCause {
  const reason = 'an internal error';
  return { reason, exitCode, isFinal: true, error: () => new HermesError(reason) };
}

/** Listens for signals. `leave` exits immediately; it is called only if work does not end in time. */
export function createExitPath(leave: (exitCode: number) => void): ExitPath {
  let first: ExitCause | undefined;
  let handle: ((cause: ExitCause) => void) | undefined;
  let limitMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let concluded: number | undefined;
  const forced = new AbortController();
  const stopped = Promise.withResolvers<never>();
  // Prevents an unhandled rejection if nobody waits for it.
  stopped.promise.catch(() => undefined);

  const leaveIn = (milliseconds: number, action: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds).unref();
  };
  const leaveNow = () => leave(concluded ?? first?.exitCode ?? 1);

  function forceNow(): void {
    if (forced.signal.aborted) return;
    leaveIn(FORCED_EXIT_MS, leaveNow);
    forced.abort();
  }

  function request(cause: ExitCause): void {
    if (first !== undefined) return;
    first = cause;
    // Nothing has to be stored any more, but closing must not take forever.
    if (concluded !== undefined) return leaveIn(STOP_TIMEOUT_MS, leaveNow);
    if (handle === undefined) return stopped.reject(cause.error(' before anything was started.'));
    if (limitMs !== undefined) leaveIn(limitMs, forceNow);
    return handle(cause);
  }

  let firstSignal: Signal | undefined;
  const onSignal = (name: Signal) => {
    const isRepeated = firstSignal === name;
    firstSignal ??= name;
    if (first === undefined || concluded !== undefined) return request(signalCause(name));
    // Shells, terminals, `timeout` and service managers send these more than once to be sure that they arrive.
    if (name === 'SIGHUP' || (name === 'SIGTERM' && isRepeated)) return undefined;
    return forceNow();
  };
  for (const name of SIGNALS) process.on(name, onSignal);

  return {
    stopped: stopped.promise,
    forced: forced.signal,
    cause: () => first,
    setHandler(onRequest, timeoutMs) {
      if (first !== undefined) throw first.error(' before anything was started.');
      handle = onRequest;
      limitMs = timeoutMs;
    },
    request,
    force(cause) {
      request(cause);
      if (concluded === undefined) forceNow();
    },
    exitCode: (ofWork) => (first?.isFinal ? first.exitCode : ofWork),
    conclude(exitCode) {
      concluded ??= exitCode;
      clearTimeout(timer);
      if (first !== undefined) leaveIn(STOP_TIMEOUT_MS, leaveNow);
    },
    stop() {
      clearTimeout(timer);
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
