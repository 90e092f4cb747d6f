import type { UserMessage } from '../base/index.ts';
import type { AgentParts } from './begin-turn.ts';

export type UndoOptions = {
  /** How many turns; one unless told otherwise. */
  turns?: number;
  /** Another process may have gone on with the session: it is read anew. */
  storedChanged?: boolean;
};

/** What was taken back: it begins with what the user said then. */
export type UndoneTurns = { turns: number; messages: number; said: UserMessage };

/**
 * Takes the newest turns out of the conversation, in the store and then here. A turn begins where the user speaks, so no
 * call is left without its result. What was compressed cannot be taken back message by message, and neither can what
 * comes before it.
 */
export async function undoTurns(
  { session, options: { store, context } }: AgentParts,
  { turns = 1, storedChanged = false }: UndoOptions,
): Promise<UndoneTurns | 'compressed' | undefined> {
  if (storedChanged) await session.readAnew();
  const stored = await store.getMessages(session.id);
  const replaced = await Promise.all(
    stored.map(async ({ isReplacement, message }) => isReplacement ?? (await context.holdsReplacement?.(message))),
  );
  const settled = replaced.lastIndexOf(true);
  const beginnings = stored.filter(({ message }, index) => index > settled && message.role === 'user');
  const taken = beginnings.slice(-turns);
  const [first] = taken;
  if (first === undefined) return settled >= 0 ? 'compressed' : undefined;
  const messages = await store.undoMessages(session.id, first.id);
  await session.readAnew();
  return { turns: taken.length, messages, said: first.message as UserMessage };
}

/** Puts back what was taken back last; how many messages, 0 where something was said since. */
export async function restoreTurns(
  { session, options: { store } }: AgentParts,
  { storedChanged = false }: Pick<UndoOptions, 'storedChanged'>,
): Promise<number> {
  const messages = await store.restoreMessages(session.id);
  if (messages > 0 || storedChanged) await session.readAnew();
  return messages;
}
