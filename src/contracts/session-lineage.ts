import type { Message } from '../base/index.ts';
import type { NewSession, SessionRecord, SessionStore, StoredMessage } from './session-store.ts';

/** Sessions that continue each other, linked by parent ids, and their shared titles. */
export interface SessionLineage {
  /**
   * The ancestors of a session, from the oldest to the parent; empty if there are none. The session that a subagent
   * works for is not an ancestor.
   */
  getAncestors(id: string): Promise<SessionRecord[]>;
  /** Children, grandchildren and so on, in creation order. */
  getDescendants(id: string): Promise<SessionRecord[]>;
  /**
   * The newest session that continues this one after compression, never a branch or a subagent. Returns this session
   * if there is none.
   */
  newestInLineage(id: string): Promise<SessionRecord | undefined>;
  /**
   * The newest result of a tool in a session or in the sessions that it continues after compression. Returns the full
   * result, even if only a shortened copy is left in this session.
   */
  getLastResult(id: string, toolName: string): Promise<string | undefined>;
  /**
   * Ends a session by compression and opens its child with these messages, atomically. Kept messages are marked as
   * copies, so that the lineage has each message once. Without its own title, the child gets the next numbered title
   * of its parent. Rejected if the session was already split.
   */
  splitSession(
    parentId: string,
    child: Omit<NewSession, 'parentSessionId'>,
    messages: readonly KeptMessage[],
  ): Promise<void>;
  /**
   * Creates a branch: a session that starts with copies of the messages of another one and continues independently.
   * It has the prompt and model of its parent and the next numbered title of its lineage; the parent does not change.
   */
  branchSession(parentId: string, branch: NewBranch): Promise<SessionRecord>;
  /**
   * The newest session with this title or, for a title without a number, with one of its numbers: `X` finds `X #3`,
   * but no branch of it.
   */
  resolveSessionByTitle(title: string): Promise<SessionRecord | undefined>;
  /** The title for the next session of a lineage: `X`, then `X #2`, always one above the highest number. */
  getNextTitleInLineage(title: string): Promise<string>;
}

/** `upTo` is the id of the last message to copy; all are copied by default. `messages` are copied instead of all. */
export type NewBranch = Pick<NewSession, 'id' | 'source' | 'startedAt'> & {
  upTo?: number | undefined;
  messages?: readonly KeptMessage[];
};

/**
 * A message that a child session starts with: a parent's message by id, or a new one such as a summary. For a
 * shortened parent message, `message` is the shortened form; it is still a copy, so it is counted and found at its
 * original. A new message with `isReplacement` replaces others: it is not searched and not counted.
 */
export type KeptMessage = { copyOf: number; message?: Message } | { message: Message; isReplacement?: true };

type AncestorReader = Pick<SessionLineage, 'getAncestors'>;
type LineageReader = Pick<SessionLineage, 'getAncestors' | 'getDescendants'>;

/** A session and its ancestors, oldest first. */
export async function lineageUpTo(sessions: AncestorReader, id: string): Promise<string[]> {
  return [...(await sessions.getAncestors(id)).map((ancestor) => ancestor.id), id];
}

/** All sessions with the same oldest ancestor, including branches. */
export async function relatedSessions(sessions: LineageReader, id: string): Promise<string[]> {
  const [oldest = id] = await lineageUpTo(sessions, id);
  return [oldest, ...(await sessions.getDescendants(oldest)).map((descendant) => descendant.id)];
}

/**
 * The messages of these sessions. Each message is counted once, at its original; a copy whose original was deleted
 * counts itself.
 */
export async function uniqueMessages(
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
