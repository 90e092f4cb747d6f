import type { Cost, ExitReason, JsonObject, Usage } from '../base/index.ts';
import type { ToolOutcome } from './tool.ts';

export type ToolHookCall = {
  callId: string;
  toolName: string;
  args: JsonObject;
  sessionId: string;
  taskId: string;
  /** Only reads: nothing can be different afterwards. */
  readOnly: boolean;
  /** Aborted when the turn is interrupted. */
  signal: AbortSignal;
};

/** A session, as hooks are told of it. */
export type SessionHookInfo = { sessionId: string; source: string };

/** A turn that begins: what the user said, and who will answer. */
export type TurnHookInfo = {
  sessionId: string;
  taskId: string;
  userMessage: string;
  provider: string;
  model: string;
  /** Nothing was said in the session before. */
  isFirstTurn: boolean;
};

/** How a turn ended. */
export type TurnHookResult = {
  sessionId: string;
  taskId: string;
  userMessage: string;
  answer: string;
  exitReason: ExitReason;
};

/** One call of a model. */
export type RequestHookInfo = {
  sessionId: string;
  taskId: string;
  provider: string;
  model: string;
  /** How many messages it is sent. */
  messages: number;
};

/** What came of it: an answer, or the kind of its failure. */
export type RequestHookResult =
  | { status: 'ok'; durationMs: number; usage: Usage; cost: Cost; finishReason: string; toolCalls: number }
  | { status: 'error'; durationMs: number; kind: string; message: string };

/** Code of others that is called around the steps of a turn. A hook that throws is logged and otherwise ignored. */
export type Hooks = {
  name: string;
  /** May stop a call, with a reason that the model reads. */
  preToolCall?(call: ToolHookCall): Promise<{ block: string } | undefined>;
  postToolCall?(call: ToolHookCall, outcome: ToolOutcome): Promise<void>;
  /** May replace what the model reads. */
  transformToolResult?(call: ToolHookCall, content: string): Promise<string | undefined>;
  /** Before a turn asks its model; may add something that is sent along with the user's message. */
  preModelTurn?(turn: TurnHookInfo): Promise<{ context: string } | undefined>;
  /** After the last answer of a turn was stored. */
  postModelTurn?(result: TurnHookResult): Promise<void>;
  preRequest?(request: RequestHookInfo): Promise<void>;
  postRequest?(request: RequestHookInfo, result: RequestHookResult): Promise<void>;
  sessionStart?(session: SessionHookInfo): Promise<void>;
  sessionEnd?(session: SessionHookInfo & { reason: string }): Promise<void>;
};

/** The steps of a turn at which hooks are called, by the names that configuration and plugins use for them. */
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

/** What is called at a step. */
export type HookHandler<Event extends HookEvent> = NonNullable<Hooks[(typeof HOOK_EVENTS)[Event]]>;

/**
 * The hooks around turns, as the agent sees them. They never fail and never take longer than their time; what comes
 * after a step is done beside whatever comes next.
 */
export interface TurnHooks {
  sessionStarted(session: SessionHookInfo): void;
  /** What is to be sent along with the user's message. */
  beforeTurn(turn: TurnHookInfo): Promise<string | undefined>;
  afterTurn(result: TurnHookResult): void;
  beforeRequest(request: RequestHookInfo): Promise<void>;
  afterRequest(request: RequestHookInfo, result: RequestHookResult): void;
}
