import { HermesError, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type { ShellHookSettings } from '../../config/index.ts';
import {
  HOOK_EVENTS,
  type HookEvent,
  type Hooks,
  type Logger,
  type RequestHookInfo,
  type RequestHookResult,
  type SessionHookInfo,
  type ToolHookCall,
  type ToolOutcome,
  type TurnHookInfo,
  type TurnHookResult,
} from '../../contracts/index.ts';
import { shorten } from '../../util/index.ts';
import { limitHooks } from '../limit-hooks.ts';
import { type HookState, hookState } from './hook-consent.ts';
import { type HookOutput, runHook } from './run-hook.ts';

/** The exit code that blocks a call without JSON output; the reason is read from stderr. */
const BLOCKING_EXIT_CODE = 2;
/** Longer reasons are truncated. */
const MAX_REASON_LENGTH = 2_000;
const NO_REASON = 'A user-defined hook blocked this call.';
/** Serializes the arguments of each hook event. */
const PAYLOAD_WRITERS = {
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

export type ShellHookParts = {
  home: string;
  workingDirectory: string;
  passedVariables: readonly string[];
  logger: Logger;
  signal: AbortSignal;
};

/** Time for the work before and after a command, in addition to the command's own timeout. */
const GRACE_MS = 2_000;

/** Turns the commands of the configuration into hooks. A command runs only if the user allowed its current version. */
export function createShellHooks(hooks: readonly ShellHookSettings[], parts: ShellHookParts): Hooks[] {
  return hooks.map((hook) => {
    const limits = { logger: parts.logger, limitMs: hook.timeoutSeconds * 1000 + GRACE_MS };
    return limitHooks(toHooks(hook, parts), limits);
  });
}

function toHooks(hook: ShellHookSettings, parts: ShellHookParts): Hooks {
  const { event, command, timeoutSeconds, matcher, key } = hook;
  const { home, workingDirectory, passedVariables, logger, signal } = parts;
  const matches = matcher === undefined ? undefined : new RegExp(`^(?:${matcher})$`);
  let reported: HookState | undefined;

  async function call(...args: readonly unknown[]): Promise<unknown> {
    const { toolName, signal: turn } = args[0] as Partial<ToolHookCall>;
    if (matches !== undefined && toolName !== undefined && !matches.test(toolName)) return undefined;
    // Checked at every call, because a script may change while Hermes runs.
    const state = await hookState(home, hook, workingDirectory);
    if (state !== 'allowed') {
      if (reported !== state) logger.warn('skipped a shell hook', { hook: key, reason: SKIP_REASONS[state] });
      reported = state;
      return undefined;
    }
    const payload = writePayload(event, args, workingDirectory);
    // An interrupt of the turn kills the command as well.
    const stopped = turn === undefined ? signal : AbortSignal.any([signal, turn]);
    const run = { command, payload, workingDirectory, timeoutSeconds, passedVariables, signal: stopped };
    return readAnswer(event, await runHook(run));
  }
  return { name: key, [HOOK_EVENTS[event]]: call };
}

const SKIP_REASONS: Readonly<Record<Exclude<HookState, 'allowed'>, string>> = {
  new: 'it was not allowed yet',
  changed: 'it has changed since it was allowed',
};

/** One line for the user about each hook that is not run. */
export async function describeSkippedHooks(
  hooks: readonly ShellHookSettings[],
  { home, workingDirectory }: Pick<ShellHookParts, 'home' | 'workingDirectory'>,
): Promise<string[]> {
  const states = await Promise.all(hooks.map((hook) => hookState(home, hook, workingDirectory)));
  return hooks.flatMap(({ key }, index) => {
    const state = states[index] ?? 'new';
    if (state === 'allowed') return [];
    return [
      `${key} is not run: ${SKIP_REASONS[state]}. Review it with \`hermes hooks list\`, then run: hermes hooks allow ${key}`,
    ];
  });
}

/** The result of a hook command; undefined if it contains nothing that this event can use. */
export function readAnswer(event: HookEvent, { code, output, errors }: HookOutput): unknown {
  if (event === 'pre_tool_call' && code === BLOCKING_EXIT_CODE) return { block: blockReason(errors) };
  if (code !== 0) throw new HermesError(`exit code ${code}: ${shorten(errors.trim() || 'no error output', 300)}`);
  if (!['pre_tool_call', 'pre_llm_call', 'transform_tool_result'].includes(event) || output.trim() === '')
    return undefined;
  const answer = parseJson(output);
  if (!isJsonObject(answer)) throw new HermesError('its output is not a JSON object');
  if (event === 'pre_tool_call') return readBlock(answer);
  const key = event === 'pre_llm_call' ? 'context' : 'content';
  const text = answer[key] ?? specificOutput(answer)['additionalContext'];
  if (typeof text !== 'string') return undefined;
  return event === 'pre_llm_call' ? { context: text } : text;
}

/** Accepts the original format and those of other agents, so that their scripts work. */
function readBlock(answer: JsonObject): { block: string } | undefined {
  const { permissionDecision, permissionDecisionReason } = specificOutput(answer);
  if (permissionDecision === 'deny') return { block: blockReason(permissionDecisionReason) };
  const isBlocked = answer['action'] === 'block' || answer['decision'] === 'block';
  return isBlocked ? { block: blockReason(answer['message'] ?? answer['reason']) } : undefined;
}

function specificOutput(answer: JsonObject): JsonObject {
  const inner = answer['hookSpecificOutput'];
  return isJsonObject(inner) ? inner : {};
}

function blockReason(text: unknown): string {
  return typeof text === 'string' && text.trim() !== '' ? shorten(text.trim(), MAX_REASON_LENGTH) : NO_REASON;
}

/** The JSON on a hook's stdin: common fields, and event-specific ones under `extra`. */
type HookPayload = {
  hook_event_name: HookEvent;
  session_id: string;
  cwd: string;
  tool_name?: string;
  tool_input?: JsonObject;
  extra: JsonObject;
};

type PayloadFields = Omit<HookPayload, 'hook_event_name' | 'cwd'>;

function ofTool({ toolName, args, sessionId, callId, taskId }: ToolHookCall, more: JsonObject = {}): PayloadFields {
  const extra = { call_id: callId, task_id: taskId, ...more };
  return { session_id: sessionId, tool_name: toolName, tool_input: args, extra };
}

function ofRequest(
  { sessionId, taskId, provider, model, messages }: RequestHookInfo,
  more: JsonObject = {},
): PayloadFields {
  return { session_id: sessionId, extra: { task_id: taskId, provider, model, messages, ...more } };
}

function writePayload(event: HookEvent, args: readonly unknown[], cwd: string): HookPayload {
  const write = PAYLOAD_WRITERS[event] as (...given: readonly unknown[]) => PayloadFields;
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
