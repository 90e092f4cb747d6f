import { lineUpTo, messagesOnce, type SessionStore, type StoredMessage } from '../contracts/index.ts';

/** All that was said in a session and in those it goes on from, without what stands for removed messages. */
export async function readOriginals(
  sessions: Pick<SessionStore, 'getAncestors' | 'getMessages'>,
  sessionId: string,
): Promise<StoredMessage[]> {
  const messages = await messagesOnce(sessions, await lineUpTo(sessions, sessionId));
  return messages.filter(({ isReplacement }) => !isReplacement);
}
