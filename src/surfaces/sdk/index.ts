export {
  defineTool,
  type HermesTool,
  type ObjectSchema,
  type SchemaIssue,
  type SchemaResult,
  type ToolOptions,
  type ToolResult,
  type ToolRunContext,
} from './define-tool.ts';
export {
  createHermes,
  type Hermes,
  type HermesOptions,
  type ModelOptions,
  type RunningTurn,
  type SessionOptions,
} from './hermes.ts';
export type {
  HermesSession,
  HermesTurn,
  QuestionContext,
  QuestionHandlers,
  SendOptions,
  TurnResult,
} from './hermes-session.ts';
export { createMemoryStorage, type SessionStorage } from './session-storage.ts';
