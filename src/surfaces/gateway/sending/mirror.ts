import { hostname } from 'node:os';
import { errorMessage } from '../../../base/index.ts';
import type { Services } from '../../../runtime/index.ts';
import { processScope } from '../../../util/index.ts';

const LEASE_MS = 10_000;
const RETRY_MS = 2000;
/** After this many attempts, which takes about ten minutes, the record is omitted: it is only a help for the model. */
const MAX_ATTEMPTS = 300;

/**
 * Records what was sent to a chat in the session of that chat, so that the model knows what people there reply to. The
 * lease is acquired from the store itself: an open agent then notices that its session has changed.
 */
export async function recordInSession(
  { store, clock, logger }: Pick<Services, 'store' | 'clock' | 'logger'>,
  { sessionId, text, signal }: { sessionId: string; text: string; signal: AbortSignal },
): Promise<void> {
  const holder = { pid: process.pid, host: hostname(), surface: 'gateway', processScope: processScope() };
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !signal.aborted; attempt += 1) {
      const acquired = await store.acquireLease(sessionId, holder, LEASE_MS);
      if (acquired.acquired) {
        const { lease } = acquired;
        await store.writeUnder(lease).appendMessages(sessionId, [{ role: 'assistant', content: text }]);
        return await store.releaseLease(lease);
      }
      // A turn is running; its messages must stay together.
      await clock.sleep(RETRY_MS, signal);
    }
  } catch (thrown) {
    if (!signal.aborted)
      logger.warn('could not record a sent message in the session of its chat', {
        sessionId,
        error: errorMessage(thrown),
      });
  }
}
