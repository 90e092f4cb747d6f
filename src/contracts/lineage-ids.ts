import type { SessionLineage } from './session-lineage.ts';

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
