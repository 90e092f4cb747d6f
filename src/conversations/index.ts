export { applyBusyMode, type BusyMode, type BusyPolicy } from './busy-policy.ts';
export {
  type Conversation,
  type ConversationOptions,
  openConversation,
  type Sent,
  type ConversationMessage,
} from './conversation.ts';
export { type ConversationPool, type ConversationPoolOptions, createConversationPool } from './conversation-pool.ts';
export { type ConversationTurn, TurnNotStarted } from './conversation-turn.ts';
export type { HeldChoice, OnHeld, SessionNotice } from './opened-session.ts';
export { type CommandOutcome, findRunningTurn, listRunningTurns, type RemoteTurn } from './remote-turn.ts';
export type { ControlRoles } from './turn-control.ts';
