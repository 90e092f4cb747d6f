import { ownBlock } from '../base/index.ts';
import { maskKnownSecrets } from '../util/index.ts';
import { planNotice } from './plan-notice.ts';
import type { Turn } from './turn.ts';

/**
 * Appends pending notices to the message that is about to be stored. `store` is always called: with the notice block,
 * or with an empty string if there are no notices.
 */
export async function appendNotices(turn: Turn, store: (block: string) => Promise<void>): Promise<void> {
  const { notices } = turn.options;
  const mode = await planNotice(turn);
  if (notices === undefined) return store(mode);
  const text = await notices.deliver(turn.session.id, (waiting) =>
    store(waiting === undefined ? mode : mode + ownBlock('notice').write(waiting)),
  );
  if (text !== undefined) turn.emit({ type: 'notified', text });
  return undefined;
}

/**
 * Runs the hooks that may add context to a turn and appends their context to the newest user message. Only
 * `sentContent` changes; the message that the user wrote stays as it is.
 */
export async function addHookContext(turn: Turn, isFirstTurn: boolean): Promise<void> {
  const { options, session, signal, taskId, routes } = turn;
  const message = session.history.at(-1);
  if (options.hooks === undefined || message?.role !== 'user') return;
  const { provider, model } = routes.describe();
  const info = { sessionId: session.id, taskId, userMessage: message.content, provider, model, isFirstTurn };
  const text = await options.hooks.beforeTurn(info);
  signal.throwIfAborted();
  if (text !== undefined)
    await session.setSentContent(
      (message.sentContent ?? message.content) + ownBlock('hook').write(maskKnownSecrets(text)),
    );
}

/**
 * Asks the memory provider what it knows about the newest user message and appends that to `sentContent`. The message
 * itself is already stored, so recalled text is sent but never displayed or searched.
 */
export async function recallForTurn(turn: Turn): Promise<void> {
  const { options, session, signal } = turn;
  const message = session.history.at(-1);
  // A message with attachments only has no text to search for.
  if (options.memory === undefined || message?.role !== 'user' || message.content.trim() === '') return;
  const text = await options.memory.recall({ text: message.content, sessionId: session.id }, signal);
  signal.throwIfAborted();
  if (text === undefined) return;
  await session.setSentContent((message.sentContent ?? message.content) + ownBlock('recall').write(text));
}
