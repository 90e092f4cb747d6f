import type { SessionRecord, SessionStore } from '../contracts/index.ts';

/** The oldest session of a lineage, and the root of one of its sessions. */
export async function findOrigins(store: Pick<SessionStore, 'getAncestors'>, session: SessionRecord) {
  const ancestors = session.parentSessionId === undefined ? [] : await store.getAncestors(session.id);
  return { oldest: ancestors[0]?.id ?? session.id, root: rootOf(session, ancestors) };
}

/** A branch goes its own way, and a session that began before its parent ended is its child: both are their own roots. */
function rootOf(session: SessionRecord, ancestors: readonly SessionRecord[]): string {
  let root = session;
  for (const parent of ancestors.toReversed()) {
    if (!continues(root, parent)) break;
    root = parent;
  }
  return root.id;
}

function continues(session: SessionRecord, parent: SessionRecord): boolean {
  if (session.isBranch || session.isDelegated || session.parentSessionId !== parent.id) return false;
  return parent.endReason === 'compression' && session.startedAt >= (parent.endedAt ?? Number.POSITIVE_INFINITY);
}
