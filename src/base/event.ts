import type { CacheMiss } from './cache-miss.ts';
import type { InteractionRequest } from './interaction.ts';
import type { ModelErrorKind } from './hermes-error.ts';
import type { AuxiliaryUsage, ExitReason, RunResult } from './run-result.ts';
import type { Cost, Usage } from './usage.ts';

/** How a tool call ended. */
export type ToolStatus = 'ok' | 'error' | 'invalid' | 'denied' | 'refused' | 'interrupted';

/** A change that a tool made to a file. */
export type ChangedFile = {
  path: string;
  /** Number of added and removed lines. */
  added: number;
  removed: number;
  /** The hunks of a unified diff, with secrets redacted. */
  diff: string;
  /** Number of diff lines that were omitted. */
  omitted?: number;
};

/** The event stream of a turn, which all surfaces render. `finished` occurs exactly once, as the last event. */
export type AgentEvent =
  | { type: 'started'; sessionId: string; taskId: string; model: string; provider: string }
  | { type: 'thinking-started' }
  | { type: 'thinking-finished' }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'text-delta'; text: string }
  /** Everything streamed since the last `thinking-started` is invalid, because the call failed or is repeated. */
  | { type: 'answer-discarded'; reason: string }
  /** The model has started to write a tool call; its arguments are still streaming. */
  | { type: 'tool-call-seen'; name: string }
  | { type: 'tool-started'; callId: string; name: string; arguments: string }
  | { type: 'tool-progress'; callId: string; text: string }
  /** A call wrote, changed or removed a file; sent before `tool-finished` of that call. */
  | ({ type: 'file-changed'; callId: string } & ChangedFile)
  | { type: 'tool-finished'; callId: string; name: string; status: ToolStatus; content: string; durationMs: number }
  /** A question, to be answered with `respond(requestId, …)`. */
  | { type: 'request'; requestId: string; request: InteractionRequest }
  /** The question is closed: it was answered, it timed out, or the turn ended. */
  | { type: 'request-closed'; requestId: string }
  /** Usage of one call. The hit rate, from 0 to 1, is the share of its input that came from the cache. */
  | { type: 'usage'; usage: Usage; cost: Cost; contextTokens: number; cacheHitRate?: number; cacheMiss?: CacheMiss }
  | { type: 'step-finished'; apiCalls: number; toolCalls: number }
  | { type: 'retry'; kind: ModelErrorKind | 'answer'; message: string; attempt: number; waitMs: number }
  | { type: 'fallback'; from: string; to: string; reason: string }
  /**
   * Compression starts, with the current number of messages and tokens. `compressed` or `compression-skipped`
   * follows.
   */
  | { type: 'compression-started'; reason: CompressionReason; messages: number; tokens: number }
  /** The conversation continues in the session `sessionId`. */
  | ({ type: 'compressed'; reason: CompressionReason; durationMs: number } & CompressionReport)
  /** Compression could not save anything; the session is unchanged. */
  | { type: 'compression-skipped'; reason: CompressionReason }
  /** The model cannot read an attachment, so another one described it: `by` is `provider/model`. */
  | { type: 'attachment-described'; name: string; by: string }
  | { type: 'steered'; text: string }
  /** Hermes itself sent the model a notice, e.g. that a background process has ended. */
  | { type: 'notified'; text: string }
  /**
   * An event of a subagent that a call of this agent started; `task` is its number among the tasks of the call, from
   * 1.
   */
  | { type: 'subagent'; callId: string; task: number; sessionId: string; event: SubagentEvent }
  | { type: 'warning'; message: string }
  | { type: 'finished'; result: RunResult };

/**
 * Events of a subagent that are not forwarded: too many with several subagents in parallel, or reported in another way.
 * The questions of a subagent are asked by the agent that started it.
 */
type NotForwarded =
  | 'text-delta'
  | 'reasoning-delta'
  | 'tool-progress'
  | 'request'
  | 'request-closed'
  | 'subagent'
  | 'finished';

/** The forwarded events of a subagent; `ended` is the last one. */
export type SubagentEvent = Exclude<AgentEvent, { type: NotForwarded }> | EndedSubagent;

type EndedSubagent = {
  type: 'ended';
  exitReason: ExitReason;
  apiCalls: number;
  toolCalls: number;
  durationMs: number;
  /** Usage of the subagent's auxiliary tasks; the usage of its own calls was already reported by `usage` events. */
  auxiliary?: AuxiliaryUsage;
};

/**
 * Why a session is compressed: it was too large when loaded, tool results made it too large, a provider rejected it
 * as too large, the user asked for it, or a surface compresses before a turn (hygiene).
 */
export type CompressionReason = 'preflight' | 'results' | 'overflow' | 'command' | 'hygiene';

/** The result of a compression. */
export type CompressionReport = {
  /** The session that continues: the child, or for a preview the unchanged session. */
  sessionId: string;
  messagesBefore: number;
  messagesAfter: number;
  /** Both are estimates by the same method and include the fixed part of every request. */
  tokensBefore: number;
  tokensAfter: number;
  /** Who wrote the replacement: a model, the deterministic extract, the removal map, or nobody. */
  by: 'model' | 'extract' | 'map' | 'none';
  /** `provider/model`. */
  model?: string;
  /** Why no model wrote it. */
  why?: string;
};
