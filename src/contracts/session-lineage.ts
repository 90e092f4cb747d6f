import type { Message } from '../base/index.ts';
import type { NewSession, SessionRecord, SessionStore, StoredMessage } from './session-store.ts';

/** Sessions that continue each other, linked by their parent, and the titles they share. */
export interface SessionLineage {
  /** From the oldest to the parent; empty for a session without one. What a subagent works for is none of its ancestors. */
  getAncestors(id: string): Promise<SessionRecord[]>;
  /** Children, their children and so on, in the order they were made. */
  getDescendants(id: string): Promise<SessionRecord[]>;
  /** Where a session goes on: the newest one that continues it after compression, never a branch or a subagent, else itself. */
  newestInLineage(id: string): Promise<SessionRecord | undefined>;
  /**
   * What a tool said last in a session, or in those it continues after compression: in full, also where only a shortened
   * copy is left of it.
   */
  getLastResult(id: string, toolName: string): Promise<string | undefined>;
  /**
   * Ends a session by compression and opens its child with these messages, all or nothing. Messages that were kept are
   * marked as copies, so that the lineage shows each message once. Without a title of its own the child has the next one
   * of its parent's. Refused where the session was split before and goes on elsewhere.
   */
  splitSession(
    parentId: string,
    child: Omit<NewSession, 'parentSessionId'>,
    messages: readonly KeptMessage[],
  ): Promise<void>;
  /**
   * Opens a session that begins with all messages of another so far, as copies, and goes its own way from there. It has
   * the prompt and the model of its parent and the next title of its lineage; the parent is not changed.
   */
  branchSession(parentId: string, branch: Pick<NewSession, 'id' | 'source' | 'startedAt'>): Promise<SessionRecord>;
  /** The newest session with this title or, for a title without number, one of its numbers: `X` finds `X #3`, but no branch of it. */
  resolveSessionByTitle(title: string): Promise<SessionRecord | undefined>;
  /** The title for the next session of a lineage: `X`, then `X #2`, always one more than the highest. */
  getNextTitleInLineage(title: string): Promise<string>;
}

/**
 * A message that a child begins with: one of its parent, by id, or a new one such as a summary. One of its parent that
 * was shortened says how it is now, and is a copy all the same: it counts, and is found, where its original stands. A new
 * one that nobody said stands in for others: it is no hit of a search, and counts as nobody's message.
 */
export type KeptMessage = { copyOf: number; message?: Message } | { message: Message; isReplacement?: true };

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
