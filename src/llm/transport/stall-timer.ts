import type { ClientRequest } from 'node:http';
import { MAX_TIMER_MS, ModelError } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';

/** Ends a request on abort and on a stall, and records which of them it was. */
export type StallTimer = {
  /** Restarts the stall timer after data was sent or received. */
  touch(): void;
  /** Ends the request after this time, whether or not data arrives; calling it again restarts the time. */
  endWithin(milliseconds: number): void;
  stop(): void;
  /** Returns the reason if this timer ended the request, otherwise the error itself. */
  explain(error: unknown): unknown;
  /** Whether this timer ended the request. */
  ended(): boolean;
};

export function createStallTimer(
  outgoing: ClientRequest,
  stallTimeoutMs: number,
  signal: AbortSignal,
  onEnd: () => void = () => {},
): StallTimer {
  let ending: { reason: unknown } | undefined;
  const end = (reason: unknown) => {
    ending ??= { reason };
    // Destroying the request closes its socket, so that the provider stops generating.
    outgoing.destroy();
    onEnd();
  };
  const onAbort = () => end(signal.reason);
  const startTimer = (milliseconds: number) =>
    setTimeout(() => end(stall(milliseconds)), Math.min(milliseconds, MAX_TIMER_MS));
  let timer = startTimer(stallTimeoutMs);
  let touched = () => void timer.refresh();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    touch: () => touched(),
    endWithin(milliseconds) {
      clearTimeout(timer);
      timer = startTimer(Math.min(milliseconds, stallTimeoutMs));
      touched = () => {};
    },
    stop() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
    explain: (error) => (ending === undefined ? error : ending.reason),
    ended: () => ending !== undefined,
  };
}

function stall(stallTimeoutMs: number): ModelError {
  const message = `The provider sent nothing for ${stallTimeoutMs / 1000} s; the request timed out.`;
  return new ModelError(classifyFailure({ kind: 'stream_stall', message }), {
    hint: 'Increase agent.stream_stale_timeout if this model needs more time.',
  });
}

/** The number of characters above which a prompt counts as large; about 50,000 tokens. */
const LARGE_PROMPT = 200_000;

/** The factor for the stall timeout, from 1 to 3: models send nothing while they process a large prompt. */
export function stallTimeoutFactor(characters: number): number {
  return characters <= LARGE_PROMPT ? 1 : Math.min(1 + characters / (5 * LARGE_PROMPT), 3);
}
