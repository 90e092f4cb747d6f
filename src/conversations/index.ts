export { applyBusyMode } from './busy-policy.ts';
export {
  type Conversation,
  type ConversationOptions,
  openConversation,
  type Sent,
  type ConversationMessage,
} from './conversation.ts';
export { createConversationPool } from './conversation-pool.ts';
export { type ConversationTurn, TurnNotStarted } from './conversation-turn.ts';
export type { HeldChoice, OnHeld, SessionNotice } from './opened-session.ts';
export { answerQuestion } from './stored-questions.ts';
export { findRunningTurn, listRunningTurns, type RemoteTurn } from './remote-turn.ts';
