/** The API for other programs. */
export * from './agent/index.ts';
/** The agent loop alone, assembled from parts by hand; `createAgent` below does it from services and a blueprint. */
export { createAgent as createAgentFromParts } from './agent/index.ts';
export * from './base/index.ts';
export type * from './contracts/index.ts';
export * from './conversations/index.ts';
export { loadSettings, resolveHome, type Settings } from './config/index.ts';
export {
  type AfterTurnWork,
  type AgentBlueprint,
  createAgent,
  createRuntime,
  loadModels,
  type OpenedAgent,
  openServices,
  type Runtime,
  type RuntimeOptions,
  type Services,
  SessionHeld,
  type SessionChoice,
  type ServicesOptions,
} from './runtime/index.ts';
export type * from './surfaces/slash/index.ts';
