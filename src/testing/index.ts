export * from './cache-simulator/index.ts';
export * from './fake-clock.ts';
export * from './hermes-process.ts';
export * from './provider-server/index.ts';
export type {
  Fault,
  Reply,
  ReplyContent,
  ReplyFinishReason,
  ReplyToolCall,
  Script,
  ScriptOptions,
} from './reply/index.ts';
export {
  createScriptedModel,
  type ModelFault,
  type ModelReply,
  type ModelScript,
  type ScriptedModel,
  type ScriptedModelOptions,
} from './scripted-model/index.ts';
export * from './temporary-home.ts';
