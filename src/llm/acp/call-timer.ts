import { MAX_TIMER_MS } from '../../base/index.ts';
import { failure } from './acp-failure.ts';
import type { Agent } from './agent.ts';

/** Ends a call on abort and on a stall. */
export type CallTimer = {
  /** Rejects with the reason as soon as the timer ends the call. */
  readonly ended: Promise<never>;
  /** Sets the action to run when the timer ends the call; it replaces the previous action. */
  onEnd(action: (why: 'abort' | 'stall') => void): void;
  over(): boolean;
  stop(): void;
};

export function startCallTimer(agent: Agent, stallTimeoutMs: number, signal: AbortSignal): CallTimer {
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  let action: (why: 'abort' | 'stall') => void = () => {};
  let over = false;
  const end = (why: 'abort' | 'stall', reason: unknown) => {
    over = true;
    stop();
    ended.reject(reason);
    action(why);
  };
  const onAbort = () => end('abort', signal.reason);
  const timer = setTimeout(() => end('stall', stall(stallTimeoutMs)), Math.min(stallTimeoutMs, MAX_TIMER_MS));
  const forget = agent.onActivity(() => void timer.refresh());
  signal.addEventListener('abort', onAbort, { once: true });
  function stop(): void {
    clearTimeout(timer);
    forget();
    signal.removeEventListener('abort', onAbort);
  }
  return { ended: ended.promise, onEnd: (given) => void (action = given), over: () => over, stop };
}

function stall(stallTimeoutMs: number) {
  return failure(
    'stream_stall',
    `The command sent nothing for ${stallTimeoutMs / 1000} s; the call timed out.`,
    'Increase agent.stream_stale_timeout if this model needs more time.',
  );
}
