import { ownBlock } from '../base/index.ts';
import type { Turn } from './turn.ts';

/**
 * Takes along what the program has to tell the session. It stands behind what is being stored, in a form of its own;
 * `store` is called with nothing where there is nothing to tell.
 */
export async function withNotices(turn: Turn, store: (block: string) => Promise<void>): Promise<void> {
  const { notices } = turn.options;
  if (notices === undefined) return store('');
  const told = await notices.deliver(turn.session.id, (text) =>
    store(text === undefined ? '' : ownBlock('notice').write(text)),
  );
  if (told !== undefined) turn.emit({ type: 'notified', text: told });
  return undefined;
}

/** Lets hooks add something to the newest message. It is sent along, and is no part of what the user said. */
export async function addHookContext(turn: Turn, isFirstTurn: boolean): Promise<void> {
  const { options, session, signal, taskId, routes } = turn;
  const message = session.history.at(-1);
  if (options.hooks === undefined || message?.role !== 'user') return;
  const { provider, model } = routes.describe();
  const told = { sessionId: session.id, taskId, userMessage: message.content, provider, model, isFirstTurn };
  const text = await options.hooks.beforeTurn(told);
  signal.throwIfAborted();
  if (text !== undefined)
    await session.setSentContent((message.sentContent ?? message.content) + ownBlock('hook').write(text));
}

/**
 * Asks what is known that has to do with the newest message, and sends it along. The message itself was stored before:
 * what is recalled is added to what is sent, and is neither shown nor searched.
 */
export async function recallForTurn(turn: Turn): Promise<void> {
  const { options, session, signal } = turn;
  const message = session.history.at(-1);
  // An attachment without a word asks for nothing that could be looked for.
  if (options.memory === undefined || message?.role !== 'user' || message.content.trim() === '') return;
  const text = await options.memory.recall({ text: message.content, sessionId: session.id }, signal);
  signal.throwIfAborted();
  if (text === undefined) return;
  await session.setSentContent((message.sentContent ?? message.content) + ownBlock('recall').write(text));
}
