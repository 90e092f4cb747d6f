import type { SessionRecord, SessionStore } from '../contracts/index.ts';

/** The sessions of one conversation, oldest first: each continues the one before it after a compression. */
export async function findChain(
  store: Pick<SessionStore, 'getAncestors'>,
  newest: SessionRecord,
): Promise<SessionRecord[]> {
  const chain = [newest];
  for (const ancestor of (await store.getAncestors(newest.id)).reverse()) {
    // A branch does not continue its parent: it starts with copies of it.
    if (chain[0]?.isBranch || chain[0]?.isDelegated) break;
    chain.unshift(ancestor);
  }
  return chain;
}

/**
 * Deletes all sessions of the conversation of a session, newest first, so that a branch of one of them prevents only what
 * it needs. Does nothing if there is no such session.
 */
export async function deleteChain(store: SessionStore, sessionId: string): Promise<void> {
  const newest = await store.newestInLineage(sessionId);
  if (newest === undefined) return;
  for (const { id } of (await findChain(store, newest)).reverse()) await store.deleteSession(id);
}
