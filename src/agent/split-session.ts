import type { Message } from '../base/index.ts';
import type { CompressedMessage, KeptMessage, SessionStore, StoredMessage } from '../contracts/index.ts';

/** The messages that a conversation goes on with: the very same objects where nothing about them changed. */
export function messagesAfter(history: readonly Message[], compressed: readonly CompressedMessage[]): Message[] {
  return compressed.map((kept) => kept.message ?? (history[(kept as { index: number }).index] as Message));
}

/**
 * The same as the store wants it: what was kept by the id under which it is stored. A history that somebody gave is not
 * stored, and then all messages are new ones.
 */
export async function keptMessages(
  store: Pick<SessionStore, 'getMessages'>,
  sessionId: string,
  history: readonly Message[],
  compressed: readonly CompressedMessage[],
): Promise<KeptMessage[]> {
  const stored = await store.getMessages(sessionId);
  const isKnown = isStored(history, stored);
  return compressed.map((kept) => {
    if (!('index' in kept)) return { ...kept, isReplacement: true };
    if (!isKnown) return { message: kept.message ?? (history[kept.index] as Message) };
    const copyOf = (stored[kept.index] as StoredMessage).id;
    return kept.message === undefined ? { copyOf } : { copyOf, message: kept.message };
  });
}

function isStored(history: readonly Message[], stored: readonly StoredMessage[]): boolean {
  if (history.length !== stored.length) return false;
  return history.every(({ role, content }, index) => {
    const { message } = stored[index] as StoredMessage;
    return message.role === role && message.content === content;
  });
}
