import type { Clock } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import type { McpSession } from './session.ts';

type Parts = { settings: McpServerSettings; clock: Clock; rest(session: McpSession): void };

/** Lets a server go that nobody has called for as long as its settings say, or that is as old. Never during a call. */
export function restWhenIdle(session: McpSession, { settings, clock, rest }: Parts): McpSession {
  const { idleSeconds = Number.POSITIVE_INFINITY, lifetimeSeconds = Number.POSITIVE_INFINITY } = settings;
  if (Math.min(idleSeconds, lifetimeSeconds) === Number.POSITIVE_INFINITY) return session;
  const endsAt = clock.now() + lifetimeSeconds * 1000;
  let running = 0;
  let waiting = new AbortController();

  function wait(): void {
    waiting = new AbortController();
    const { signal } = waiting;
    const left = Math.max(Math.min(idleSeconds * 1000, endsAt - clock.now()), 0);
    clock.sleep(left, signal).then(
      () => signal.aborted || rest(watched),
      () => undefined,
    );
  }

  const stopWaiting = () => waiting.abort(new Error('the server is in use, or closed'));
  const watched: McpSession = {
    ...session,
    async request(method, params, options) {
      stopWaiting();
      running += 1;
      try {
        return await session.request(method, params, options);
      } finally {
        running -= 1;
        if (running === 0) wait();
      }
    },
    close() {
      stopWaiting();
      running = Number.POSITIVE_INFINITY;
      return session.close();
    },
  };
  wait();
  return watched;
}
