export type { RunningSubagent } from './delegation/create-delegation.ts';
export { buildApprovalGuard, type GuardFacts } from './approval-guard.ts';
export { startBackgroundRefresh } from './background-refresh.ts';
export type { ContextPart, ContextReport } from './context-report.ts';
export { hiddenPaths } from './hidden-paths.ts';
export type { AfterTurnWork } from './after-turn.ts';
export type { AgentBlueprint } from './agent-blueprint.ts';
export { copyChoices, createAgent, type OpenedAgent } from './create-agent.ts';
export { createRuntime, type Runtime, type RuntimeOptions, withBlueprint } from './create-runtime.ts';
export type { ServerState } from './connect-servers.ts';
export {
  branchSession,
  findHolder,
  findSession,
  followMessages,
  endSessionIfFree,
  type SessionChoice,
  waitUntilFree,
} from './stored-sessions.ts';
export { type LoadedModels, loadModels } from './load-models.ts';
export { warnOfUnknownTools } from './build-tools.ts';
export { inspectChosenTools, inspectSessionTools } from './inspect-tools.ts';
export { type FixedCost, measureFixedCost } from './preview-session.ts';
export { readPrefill } from './prefill-messages.ts';
export { findStore, openStore } from './open-store.ts';
export { startWithSkills, callSkill, openSkills, skillNeeds, skillWarnings } from './skills.ts';
export { describeChain, modeOf, personalitiesOf, SESSION_MODES, type SessionMode, setMode } from './session-choices.ts';
export { startHeldRun } from './held-run.ts';
export { describeHolder, type HeldTurn, SessionHeld } from './session-lease.ts';
export { openServices, type Services } from './services.ts';
