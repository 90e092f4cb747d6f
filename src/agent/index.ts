export { ATTACHMENT_LIMITS, assertAttachable } from './attachments/attachment-limits.ts';
export { type Agent, createAgent } from './agent.ts';
export type { AgentOptions, RunInput, SpendingLimits } from './agent-options.ts';
export type { CompressOptions } from './compress-session.ts';
export { changeCredential, newCredentialTries } from './change-credential.ts';
export { rebuildRequests, type RebuiltStep } from './rebuild-requests.ts';
export type { Run } from './run.ts';
export { assertWithinLimits } from './limits.ts';
export type { UndoneTurns } from './undo-turns.ts';
