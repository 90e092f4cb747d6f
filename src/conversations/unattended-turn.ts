import { HermesError, OWNER, type RunResult } from '../base/index.ts';
import type { AgentBlueprint, Services } from '../runtime/index.ts';
import { type ConversationMessage, openConversation } from './conversation.ts';

/**
 * Runs one turn in a new session, without a user who could answer questions. Aborting the signal interrupts it. The
 * blueprint says what the session is for.
 */
export async function runUnattendedTurn(
  services: Services,
  blueprint: AgentBlueprint,
  { signal, ...message }: ConversationMessage & { signal: AbortSignal },
): Promise<RunResult> {
  const conversation = await openConversation({
    services,
    blueprint: { ...blueprint, kind: 'background', attended: false, afterTurn: [] },
    busy: 'refuse',
  });
  const stop = () => void conversation.interrupt('Hermes stops');
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const sent = conversation.send(message, OWNER);
    if (sent.outcome !== 'started') throw new HermesError('The turn could not be started.');
    return await sent.turn.result;
  } finally {
    signal.removeEventListener('abort', stop);
    await conversation.endSession('one_shot').catch(() => undefined);
    await conversation.close();
  }
}
