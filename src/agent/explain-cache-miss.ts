import { type CacheMiss, errorMessage } from '../base/index.ts';
import type { CallRecord, SessionRecord, SessionStore } from '../contracts/index.ts';
import { type AnsweredCall, type CacheLedger, createCacheLedger } from './cache-ledger.ts';
import type { Turn } from './turn.ts';

/** Finds out whether a call missed the cache, and why. */
export async function explainCacheMiss(
  turn: Turn,
  call: Pick<AnsweredCall, 'route' | 'request' | 'usage' | 'at'>,
): Promise<CacheMiss | undefined> {
  const { session, routes } = turn;
  const { cacheHistory } = session;
  const { resumed, ledger = createCacheLedger() } = cacheHistory;
  cacheHistory.ledger = ledger;
  cacheHistory.resumed = undefined;
  if (resumed !== undefined) await restoreCalls(turn, ledger, resumed);
  const { provider, model } = routes.primary();
  const isFallback = call.route.provider !== provider || call.route.model !== model;
  return ledger.explain({ ...call, sessionId: session.id, edits: editsOf(turn), isFallback });
}

/** Loads the calls of an earlier process. Done after the first answer, so that it does not delay the first request. */
async function restoreCalls({ options, logger }: Turn, ledger: CacheLedger, resumed: SessionRecord): Promise<void> {
  const { store, setup, ephemeralSystemPrompt } = options;
  try {
    const { sessionId, calls, isEdited } = await findCalls(store, resumed);
    const isSentAsStored = !resumed.isPromptImported && ephemeralSystemPrompt === undefined;
    const systemPrompt = isSentAsStored ? resumed.systemPrompt : undefined;
    const edits = isEdited ? 'undone' : UNEDITED;
    ledger.restore({ calls, sessionId, edits, systemPrompt, setup: setup?.resumed });
  } catch (thrown) {
    logger.warn('could not read the earlier calls of a session', { error: errorMessage(thrown) });
  }
}

type FoundCalls = { sessionId: string; calls: readonly CallRecord[]; isEdited: boolean };

/** The newest calls of a session; of its parent if it has none yet. */
async function findCalls(
  store: Pick<SessionStore, 'getLastCall' | 'getLastCalls'>,
  { id, parentSessionId: parentId, isBranch, isDelegated }: SessionRecord,
): Promise<FoundCalls> {
  const calls = await store.getLastCalls(id);
  if (calls.length === 0 && parentId !== undefined && !isDelegated) {
    const inherited = await store.getLastCalls(parentId);
    // A branch sends what its parent sent; the child of a compression sends something else.
    return { sessionId: isBranch ? id : parentId, calls: inherited, isEdited: false };
  }
  const kept = await store.getLastCall(id);
  const isEdited = calls.some(({ startedAt }) => startedAt > (kept?.startedAt ?? 0));
  return { sessionId: id, calls, isEdited };
}

/** The result of `editsOf` for a session in which nothing was edited. */
const UNEDITED = '0 false 0';

/** Changes whenever messages that were sent before are sent differently. */
function editsOf({ session, routes }: Turn): string {
  const { sent, plainText, refusedReasoning } = session;
  const { refusedBlobs, unreadable } = routes.learned();
  return [sent.edits, plainText, ...refusedReasoning, refusedBlobs.size, ...unreadable].join(' ');
}
