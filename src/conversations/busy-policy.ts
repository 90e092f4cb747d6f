import type { Actor } from '../base/index.ts';
import type { ConversationTurn } from './conversation-turn.ts';
import type { ConversationMessage } from './conversation.ts';

/** What happens to a message that arrives during a turn. */
export type BusyMode = 'steer' | 'queue' | 'interrupt' | 'refuse';

/** Chooses the mode for a message, for example by its sender. */
export type BusyPolicy = (message: ConversationMessage, actor: Actor) => BusyMode;

/** What happened to the message. `queue`: the caller must send it after the turn. */
type BusyOutcome = 'steered' | 'queue' | 'refused';

/** Applies a mode to a message and the running turn. A message that cannot steer is queued, never lost. */
export function applyBusyMode(
  mode: BusyMode,
  { text, attachments = [] }: Pick<ConversationMessage, 'text' | 'attachments'>,
  turn: Pick<ConversationTurn, 'steer' | 'interrupt'>,
): BusyOutcome {
  if (mode === 'refuse') return 'refused';
  if (mode === 'steer' && attachments.length === 0 && turn.steer(text)) return 'steered';
  if (mode === 'interrupt') turn.interrupt('a new message arrived');
  return 'queue';
}
