import type { Cost, ExitReason, JsonObject, Usage } from '../base/index.ts';
import type { ToolOutcome } from './tool.ts';

export type ToolHookCall = {
  callId: string;
  toolName: string;
  args: JsonObject;
  sessionId: string;
  taskId: string;
  /** Whether the call only reads and cannot change anything. */
  readOnly: boolean;
  /** Aborted when the turn is interrupted. */
  signal: AbortSignal;
};

/** What hooks receive about a session. */
export type SessionHookInfo = { sessionId: string; source: string };

/** What hooks receive about a turn that starts. */
export type TurnHookInfo = {
  sessionId: string;
  taskId: string;
  userMessage: string;
  provider: string;
  model: string;
  /** Whether this is the first message of the session. */
  isFirstTurn: boolean;
};

/** What hooks receive about a finished turn. */
export type TurnHookResult = {
  sessionId: string;
  taskId: string;
  userMessage: string;
  answer: string;
  exitReason: ExitReason;
};

/** What hooks receive about a model call. */
export type RequestHookInfo = {
  sessionId: string;
  taskId: string;
  provider: string;
  model: string;
  /** Number of messages in the request. */
  messages: number;
};

/** The result of a model call: an answer, or the kind of failure. */
export type RequestHookResult =
  | { status: 'ok'; durationMs: number; usage: Usage; cost: Cost; finishReason: string; toolCalls: number }
  | { status: 'error'; durationMs: number; kind: string; message: string };

/** Hooks that are called at defined points of a turn. A hook that throws is logged and otherwise ignored. */
export type Hooks = {
  name: string;
  /** May block a call, with a reason for the model. */
  preToolCall?(call: ToolHookCall): Promise<{ block: string } | undefined>;
  postToolCall?(call: ToolHookCall, outcome: ToolOutcome): Promise<void>;
  /** May replace the result that the model reads. */
  transformToolResult?(call: ToolHookCall, content: string): Promise<string | undefined>;
  /** Called before the first model call of a turn; may add context to the user's message. */
  preModelTurn?(turn: TurnHookInfo): Promise<{ context: string } | undefined>;
  /** Called after the last answer of a turn is stored. */
  postModelTurn?(result: TurnHookResult): Promise<void>;
  preRequest?(request: RequestHookInfo): Promise<void>;
  postRequest?(request: RequestHookInfo, result: RequestHookResult): Promise<void>;
  sessionStart?(session: SessionHookInfo): Promise<void>;
  sessionEnd?(session: SessionHookInfo & { reason: string }): Promise<void>;
};

/** Hook events by the names used in the configuration and by plugins. */
export const HOOK_EVENTS = {
  pre_tool_call: 'preToolCall',
  post_tool_call: 'postToolCall',
  transform_tool_result: 'transformToolResult',
  pre_llm_call: 'preModelTurn',
  post_llm_call: 'postModelTurn',
  pre_api_request: 'preRequest',
  post_api_request: 'postRequest',
  on_session_start: 'sessionStart',
  on_session_end: 'sessionEnd',
} as const satisfies Record<string, keyof Hooks>;

export type HookEvent = keyof typeof HOOK_EVENTS;

/** The handler of a hook event. */
export type HookHandler<Event extends HookEvent> = NonNullable<Hooks[(typeof HOOK_EVENTS)[Event]]>;

/**
 * The hooks around turns, as the agent uses them. They never throw and have a timeout; `after…` hooks run in the
 * background.
 */
export interface TurnHooks {
  sessionStarted(session: SessionHookInfo): void;
  /** Returns context to send with the user's message. */
  beforeTurn(turn: TurnHookInfo): Promise<string | undefined>;
  afterTurn(result: TurnHookResult): void;
  beforeRequest(request: RequestHookInfo): Promise<void>;
  afterRequest(request: RequestHookInfo, result: RequestHookResult): void;
}
