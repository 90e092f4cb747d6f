export type { AccountLimit, AgentOptions, FinishedTurn, RunInput } from './agent-options.ts';
export { type Agent, createAgent } from './agent.ts';
export { assertAttachable } from './attachments/attachment-limits.ts';
export { changeCredential, newCredentialAttempts } from './change-credential.ts';
export type { CompressOptions } from './compress-session.ts';
export { assertWithinLimits } from './limits.ts';
export {
  findRequestPositions,
  rebuildRequests,
  type RebuiltStep,
  type StoredConversation,
} from './rebuild-requests.ts';
export type { Run } from './run.ts';
export type { UndoneTurns } from './undo-turns.ts';
