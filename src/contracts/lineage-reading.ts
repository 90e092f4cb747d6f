import type { SessionLineage } from './session-lineage.ts';
import type { SessionStore, StoredMessage } from './session-store.ts';

type Ancestry = Pick<SessionLineage, 'getAncestors'>;
type Family = Pick<SessionLineage, 'getAncestors' | 'getDescendants'>;

/** A session after all that it goes on from, oldest first. */
export async function lineUpTo(sessions: Ancestry, id: string): Promise<string[]> {
  return [...(await sessions.getAncestors(id)).map((ancestor) => ancestor.id), id];
}

/** All sessions that came from the same beginning, branches too. */
export async function relatedSessions(sessions: Family, id: string): Promise<string[]> {
  const [oldest = id] = await lineUpTo(sessions, id);
  return [oldest, ...(await sessions.getDescendants(oldest)).map((descendant) => descendant.id)];
}

/** The messages of these sessions, each where it was said first; a copy whose original is gone stands for itself. */
export async function messagesOnce(
  sessions: Pick<SessionStore, 'getMessages'>,
  ids: readonly string[],
): Promise<StoredMessage[]> {
  const once: StoredMessage[] = [];
  const seen = new Set<number>();
  for (const id of ids) {
    for (const stored of await sessions.getMessages(id)) {
      if (stored.copyOf !== undefined && seen.has(stored.copyOf)) continue;
      seen.add(stored.copyOf ?? stored.id);
      once.push(stored);
    }
  }
  return once;
}
