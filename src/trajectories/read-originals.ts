import type { SessionRecord, SessionStore, StoredMessage } from '../contracts/index.ts';

type Sessions = Pick<SessionStore, 'getAncestors' | 'getMessages' | 'getSession'>;

/**
 * The original messages of a session and its ancestors, each once: no summaries, no shortened copies. From the parent
 * of a branch, only the messages before the branch.
 */
export async function readOriginals(sessions: Sessions, sessionId: string): Promise<StoredMessage[]> {
  const line: Pick<SessionRecord, 'id' | 'isBranch'>[] = await sessions.getAncestors(sessionId);
  // Without ancestors, `isBranch` does not matter, so most sessions need not be loaded.
  const own = line.length === 0 ? { id: sessionId, isBranch: false } : await sessions.getSession(sessionId);
  if (own !== undefined) line.push(own);
  const parts: StoredMessage[][] = [];
  for (const { id, isBranch } of line) {
    const messages = await sessions.getMessages(id);
    const parent = parts.at(-1);
    if (isBranch && parent !== undefined) parts[parts.length - 1] = copiedByBranch(parent, messages);
    parts.push(messages);
  }
  const seen = new Set<number>();
  return parts.flat().filter((stored) => {
    const original = originalOf(stored);
    if (seen.has(original)) return false;
    seen.add(original);
    // A branch also has copies of replacements, which look like ordinary messages. The check above drops them,
    // because their original was already seen.
    return !stored.isReplacement;
  });
}

/** The messages of the parent that the branch copied. */
function copiedByBranch(parent: readonly StoredMessage[], branch: readonly StoredMessage[]): StoredMessage[] {
  const copied = new Set(branch.map(originalOf));
  return parent.filter((stored) => copied.has(originalOf(stored)));
}

function originalOf({ id, copyOf }: StoredMessage): number {
  return copyOf ?? id;
}
