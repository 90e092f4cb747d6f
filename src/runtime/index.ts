export { buildApprovalGuard } from './approval-guard.ts';
export { startBackgroundRefresh } from './background-refresh.ts';
export { carryOver, createRuntime, type OpenedAgent, type Runtime, type RuntimeOptions } from './create-runtime.ts';
export { createFileLogger } from './file-logger.ts';
export { branchSession, findHolder, followMessages, leaveSession, waitUntilFree } from './held-session.ts';
export { type LoadedModels, loadModels } from './load-models.ts';
export { openStore } from './open-store.ts';
export { describeChain } from './session-models.ts';
export { describeHolder, SessionHeld } from './session-held.ts';
