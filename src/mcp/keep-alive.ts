import type { Clock } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { ServerFailure } from './server-failure.ts';
import type { McpSession } from './session.ts';

type Parts = { settings: McpServerSettings; clock: Clock; onClosed(reason: ServerFailure): void };

const PING_MS = 30_000;

/**
 * Asks a server behind an address from time to time whether it is still there: nothing else would tell before a call
 * needs it. One that does not answer is lost.
 */
export function keepAlive(session: McpSession, { settings, clock, onClosed }: Parts): McpSession {
  const closing = new AbortController();
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(settings.keepaliveSeconds * 1000, closing.signal);
      try {
        await session.request('ping', {}, { timeoutMs: PING_MS, signal: closing.signal });
      } catch {
        if (closing.signal.aborted) return;
        await session.close();
        onClosed(new ServerFailure('unreachable', 'The server does not answer any more.'));
        return;
      }
    }
  };
  watch().catch(() => undefined);
  return {
    ...session,
    close() {
      closing.abort(new Error('the connection is closed'));
      return session.close();
    },
  };
}
