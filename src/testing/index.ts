export * from './cache-simulator/index.ts';
export * from './channel-suite/index.ts';
export * from './discord-server/index.ts';
export * from './fake-clock.ts';
export {
  type HermesExit,
  type HermesOptions,
  type HermesProcess,
  runHermes,
  startHermes,
} from './hermes-process.ts';
export type { DeliveryFaults, PlatformFault } from './platform-faults.ts';
export * from './ntfy-server/index.ts';
export * from './provider-server/index.ts';
export type {
  Fault,
  Reply,
  ReplyContent,
  ReplyFinishReason,
  ReplyToolCall,
  Script,
  ScriptOptions,
} from './reply.ts';
export {
  createScriptedModel,
  type ModelFault,
  type ModelReply,
  type ModelScript,
  type ScriptedModel,
  type ScriptedModelOptions,
} from './scripted-model.ts';
export * from './slack-server/index.ts';
export * from './telegram-server/index.ts';
export * from './temporary-home.ts';
