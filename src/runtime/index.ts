export { startBackgroundRefresh } from './background-refresh.ts';
export { createRuntime, type OpenedAgent, type Runtime, type RuntimeOptions } from './create-runtime.ts';
export { createFileLogger } from './file-logger.ts';
export { branchSession, findHolder, followMessages, waitUntilFree } from './held-session.ts';
export { type LoadedModels, loadModels } from './load-models.ts';
export { inspectChosenTools } from './inspect-tools.ts';
export { type FixedCost, measureFixedCost } from './fixed-cost.ts';
export { openStore } from './open-store.ts';
export { describeHolder, SessionHeld } from './session-held.ts';
