import type { Clock } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { ServerFailure } from './server-failure.ts';
import type { McpSession } from './session.ts';

type KeepAliveParts = { settings: McpServerSettings; clock: Clock; onClosed(reason: ServerFailure): void };

const PING_MS = 30_000;

/**
 * Pings a remote server at intervals, because otherwise only a call would notice that it is gone. A server that does
 * not answer counts as lost.
 */
export function keepAlive(session: McpSession, { settings, clock, onClosed }: KeepAliveParts): McpSession {
  const closing = new AbortController();
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(settings.keepaliveSeconds * 1000, closing.signal);
      try {
        await session.request('ping', {}, { timeoutMs: PING_MS, signal: closing.signal });
      } catch {
        if (closing.signal.aborted) return;
        await session.close();
        onClosed(new ServerFailure('unreachable', 'The server no longer responds.', { isOwnText: true }));
        return;
      }
    }
  };
  watch().catch(() => undefined);
  return {
    ...session,
    close() {
      closing.abort(new Error('the connection was closed'));
      return session.close();
    },
  };
}

type IdleParts = { settings: McpServerSettings; clock: Clock; rest(session: McpSession): void };

/** Closes a session after its idle timeout or maximum lifetime, but never during a call. */
export function closeWhenIdle(session: McpSession, { settings, clock, rest }: IdleParts): McpSession {
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

  const stopWaiting = () => waiting.abort(new Error('the server is in use or closed'));
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
