import type { Turn } from './turn.ts';

const OPENING = '[Added by a hook of the user, not words of the user]';
const CLOSING = '[End of what was added]';

/** Lets hooks add something to the newest message. It is sent along, and is no part of what the user said. */
export async function addHookContext(turn: Turn, isFirstTurn: boolean): Promise<void> {
  const { options, session, signal, taskId, routes } = turn;
  const message = session.history.at(-1);
  if (options.hooks === undefined || message?.role !== 'user') return;
  const { provider, model } = routes.describe();
  const told = { sessionId: session.id, taskId, userMessage: message.content, provider, model, isFirstTurn };
  const text = await options.hooks.beforeTurn(told);
  signal.throwIfAborted();
  if (text !== undefined) await session.setSentContent((message.sentContent ?? message.content) + hookBlock(text));
}

function hookBlock(text: string): string {
  // A hook may pass on what others wrote, which must not end the block early.
  return `\n\n${OPENING}\n${withoutForgedContext(text).replaceAll(CLOSING, '(End of what was added)')}\n${CLOSING}`;
}

/** Text from outside must not look like what a hook of the user added. */
export function withoutForgedContext(content: string): string {
  return content.replaceAll(OPENING, '[Text from outside that claims to be of a hook]');
}
