import type { SessionRecord, SessionStore, StoredMessage } from '../contracts/index.ts';

type Sessions = Pick<SessionStore, 'getAncestors' | 'getMessages' | 'getSession'>;

/**
 * All that was said in a session and in those it goes on from, each message once and as it was said: no summary, no
 * shortened copy. Of the session that a branch came from, only what was said before.
 */
export async function readOriginals(sessions: Sessions, sessionId: string): Promise<StoredMessage[]> {
  const line: Pick<SessionRecord, 'id' | 'isBranch'>[] = await sessions.getAncestors(sessionId);
  // Most go on from none, and then it says nothing whether they are a branch.
  const own = line.length === 0 ? { id: sessionId, isBranch: false } : await sessions.getSession(sessionId);
  if (own !== undefined) line.push(own);
  const parts: StoredMessage[][] = [];
  for (const { id, isBranch } of line) {
    const messages = await sessions.getMessages(id);
    const parent = parts.at(-1);
    if (isBranch && parent !== undefined) parts[parts.length - 1] = saidBefore(parent, messages);
    parts.push(messages);
  }
  const seen = new Set<number>();
  return parts.flat().filter((stored) => {
    const original = originalOf(stored);
    if (seen.has(original)) return false;
    seen.add(original);
    // A branch has copies of these too, which look like messages: they are known by their original.
    return !stored.isReplacement;
  });
}

/** A branch begins with copies of all that there was. */
function saidBefore(parent: readonly StoredMessage[], branch: readonly StoredMessage[]): StoredMessage[] {
  const copied = new Set(branch.map(originalOf));
  return parent.filter((stored) => copied.has(originalOf(stored)));
}

function originalOf({ id, copyOf }: StoredMessage): number {
  return copyOf ?? id;
}
