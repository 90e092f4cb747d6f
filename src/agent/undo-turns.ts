import type { UserMessage } from '../base/index.ts';
import type { AgentParts } from './begin-turn.ts';

export type UndoOptions = {
  /** How many turns to undo; 1 by default. */
  turns?: number;
  /** Set if another process may have continued the session; it is then read from the store again. */
  storedChanged?: boolean;
};

/** What was undone. `said` is the user message of the oldest undone turn. */
export type UndoneTurns = { turns: number; messages: number; userMessage: UserMessage };

/**
 * Removes the newest turns from the conversation, first in the store, then in memory. A turn starts at a user
 * message, so no tool call is left without its result. Compressed turns, and those before them, cannot be undone.
 */
export async function undoTurns(
  { session, options: { store, context } }: AgentParts,
  { turns = 1, storedChanged = false }: UndoOptions,
): Promise<UndoneTurns | 'compressed' | undefined> {
  if (storedChanged) await session.reload();
  const stored = await store.getMessages(session.id);
  const replaced = await Promise.all(
    stored.map(async ({ isReplacement, message }) => isReplacement ?? (await context.containsReplacement?.(message))),
  );
  const settled = replaced.lastIndexOf(true);
  const beginnings = stored.filter(({ message }, index) => index > settled && message.role === 'user');
  const taken = beginnings.slice(-turns);
  const [first] = taken;
  if (first === undefined) return settled >= 0 ? 'compressed' : undefined;
  const messages = await store.undoMessages(session.id, first.id);
  await session.reload();
  return { turns: taken.length, messages, userMessage: first.message as UserMessage };
}

/** Restores the turns that were undone last. Returns the number of messages; 0 if a new message followed. */
export async function restoreTurns(
  { session, options: { store } }: AgentParts,
  { storedChanged = false }: Pick<UndoOptions, 'storedChanged'>,
): Promise<number> {
  const messages = await store.restoreMessages(session.id);
  if (messages > 0 || storedChanged) await session.reload();
  return messages;
}
