import type { ClientRequest } from 'node:http';
import { MAX_TIMER_MS, ModelError } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';

/** Ends a request on abort and on silence, and knows afterwards which of them it was. */
export type Watch = {
  /** Something was sent or came: the silence starts anew. */
  touch(): void;
  /** Ends the request after this time, whatever comes meanwhile; asked again, the time starts anew. */
  endWithin(milliseconds: number): void;
  stop(): void;
  /** The reason we ended it ourselves, else the error as it is. */
  explain(error: unknown): unknown;
  /** We ended it ourselves. */
  ended(): boolean;
};

export function watchRequest(
  outgoing: ClientRequest,
  stallTimeoutMs: number,
  signal: AbortSignal,
  onEnd: () => void = () => {},
): Watch {
  let ending: { reason: unknown } | undefined;
  const end = (reason: unknown) => {
    ending ??= { reason };
    // Destroying the request closes its socket, so the provider stops working for nobody.
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
  const message = `The provider sent nothing for ${stallTimeoutMs / 1000} seconds; the request was given up.`;
  return new ModelError(classifyFailure({ kind: 'stream_stall', message }), {
    hint: 'Raise agent.stream_stale_timeout if this model needs longer to think.',
  });
}

/** Characters of a request, about 50,000 tokens. */
const LARGE_PROMPT = 200_000;

/** A model reads a large prompt in silence; it may take longer for it, up to three times as long. */
export function patienceFor(characters: number): number {
  return characters <= LARGE_PROMPT ? 1 : Math.min(1 + characters / (5 * LARGE_PROMPT), 3);
}
