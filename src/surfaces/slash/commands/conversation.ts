import type { Message } from '../../../base/index.ts';
import type { SlashContext } from '../slash-context.ts';

/** The messages of the session; none before the first one. */
export async function conversationOf({ runtime: { store }, session }: SlashContext): Promise<readonly Message[]> {
  const id = session.id();
  return (await store.getSession(id)) === undefined ? [] : store.getConversation(id);
}
