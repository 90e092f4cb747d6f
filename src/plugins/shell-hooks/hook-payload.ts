import type { JsonObject } from '../../base/index.ts';
import type {
  HookEvent,
  RequestHookInfo,
  RequestHookResult,
  SessionHookInfo,
  ToolHookCall,
  ToolOutcome,
  TurnHookInfo,
  TurnHookResult,
} from '../../contracts/index.ts';

/** What a command reads: the same fields at every step, and what only one step has under `extra`. */
export type HookPayload = {
  hook_event_name: HookEvent;
  session_id: string;
  cwd: string;
  tool_name?: string;
  tool_input?: JsonObject;
  extra: JsonObject;
};

type Written = Omit<HookPayload, 'hook_event_name' | 'cwd'>;

function ofTool({ toolName, args, sessionId, callId, taskId }: ToolHookCall, more: JsonObject = {}): Written {
  const extra = { call_id: callId, task_id: taskId, ...more };
  return { session_id: sessionId, tool_name: toolName, tool_input: args, extra };
}

function ofRequest({ sessionId, taskId, provider, model, messages }: RequestHookInfo, more: JsonObject = {}): Written {
  return { session_id: sessionId, extra: { task_id: taskId, provider, model, messages, ...more } };
}

/** How each step is written down. */
const WRITERS = {
  pre_tool_call: (call: ToolHookCall) => ofTool(call),
  post_tool_call: (call: ToolHookCall, { status, content }: ToolOutcome) => ofTool(call, { status, result: content }),
  transform_tool_result: (call: ToolHookCall, content: string) => ofTool(call, { result: content }),
  pre_llm_call: ({ sessionId, taskId, userMessage, provider, model, isFirstTurn }: TurnHookInfo) => ({
    session_id: sessionId,
    extra: { task_id: taskId, user_message: userMessage, provider, model, is_first_turn: isFirstTurn },
  }),
  post_llm_call: ({ sessionId, taskId, userMessage, answer, exitReason }: TurnHookResult) => ({
    session_id: sessionId,
    extra: { task_id: taskId, user_message: userMessage, answer, exit_reason: exitReason },
  }),
  pre_api_request: (request: RequestHookInfo) => ofRequest(request),
  post_api_request: (request: RequestHookInfo, result: RequestHookResult) => ofRequest(request, describe(result)),
  on_session_start: ({ sessionId, source }: SessionHookInfo) => ({ session_id: sessionId, extra: { source } }),
  on_session_end: ({ sessionId, source, reason }: SessionHookInfo & { reason: string }) => ({
    session_id: sessionId,
    extra: { source, reason },
  }),
} as const;

export function writePayload(event: HookEvent, args: readonly unknown[], cwd: string): HookPayload {
  const write = WRITERS[event] as (...given: readonly unknown[]) => Written;
  return { hook_event_name: event, cwd, ...write(...args) };
}

function describe(result: RequestHookResult): JsonObject {
  const { status, durationMs } = result;
  if (result.status === 'error')
    return { status, duration_ms: durationMs, error: { kind: result.kind, message: result.message } };
  const { usage, cost, finishReason, toolCalls } = result;
  return {
    status,
    duration_ms: durationMs,
    finish_reason: finishReason,
    tool_calls: toolCalls,
    usage: { ...usage },
    cost: { ...cost },
  };
}
