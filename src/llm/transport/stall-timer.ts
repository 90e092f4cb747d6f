import type { ClientRequest } from 'node:http';
import { MAX_TIMER_MS, ModelError } from '../../base/index.ts';
import { failureOfKind } from '../failure/kind-hints.ts';

/** Ends a request on abort and on a stall, and records which of them it was. */
export type StallTimer = {
  /** Restarts the stall timer after data was sent or received. */
  touch(): void;
  /** Restarts the content timer after a part of the answer was received. */
  touchContent(): void;
  /** Ends the request after this time, whether or not data arrives; calling it again restarts the time. */
  endWithin(milliseconds: number): void;
  stop(): void;
  /** Returns the reason if this timer ended the request, otherwise the error itself. */
  explain(error: unknown): unknown;
  /** Whether this timer ended the request. */
  ended(): boolean;
};

type Timeouts = { stallTimeoutMs: number; contentTimeoutMs?: number | undefined };

export function createStallTimer(
  outgoing: ClientRequest,
  { stallTimeoutMs, contentTimeoutMs }: Timeouts,
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
  const startTimer = (milliseconds: number, sent: string) =>
    setTimeout(() => end(stall(milliseconds, sent)), Math.min(milliseconds, MAX_TIMER_MS));
  let timer = startTimer(stallTimeoutMs, 'nothing');
  const contentTimer =
    contentTimeoutMs === undefined ? undefined : startTimer(contentTimeoutMs, 'data but no part of an answer');
  let touched = () => void timer.refresh();
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    touch: () => touched(),
    touchContent: () => void contentTimer?.refresh(),
    endWithin(milliseconds) {
      clearTimeout(timer);
      clearTimeout(contentTimer);
      timer = startTimer(Math.min(milliseconds, stallTimeoutMs), 'nothing');
      touched = () => {};
    },
    stop() {
      clearTimeout(timer);
      clearTimeout(contentTimer);
      signal.removeEventListener('abort', onAbort);
    },
    explain: (error) => (ending === undefined ? error : ending.reason),
    ended: () => ending !== undefined,
  };
}

function stall(milliseconds: number, sent: string): ModelError {
  const message = `The provider sent ${sent} for ${milliseconds / 1000} s; the request timed out.`;
  return new ModelError(failureOfKind('stream_stall', message), {
    hint: 'Increase agent.stream_stale_timeout if this model needs more time.',
  });
}

/**
 * How much longer than the stall timeout a provider may send data without content, such as keep-alive comments, pings
 * and empty deltas: it sends these while a model reasons for a long time.
 */
export const CONTENT_TIMEOUT_FACTOR = 3;

/** The number of characters above which a prompt counts as large; about 50,000 tokens. */
const LARGE_PROMPT = 200_000;

/** The factor for the stall timeout, from 1 to 3: models send nothing while they process a large prompt. */
export function stallTimeoutFactor(characters: number): number {
  return characters <= LARGE_PROMPT ? 1 : Math.min(1 + characters / (5 * LARGE_PROMPT), 3);
}
