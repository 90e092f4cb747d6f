import type { InteractionRequest } from './interaction.ts';
import type { ModelErrorKind } from './hermes-error.ts';
import type { AuxiliaryShare, ExitReason, RunResult } from './run-result.ts';
import type { Cost, Usage } from './usage.ts';

/** How a tool call ended. */
export type ToolStatus = 'ok' | 'error' | 'invalid' | 'denied' | 'refused' | 'interrupted';

/** What a tool made of a file. */
export type ChangedFile = {
  path: string;
  /** How many lines came and went. */
  added: number;
  removed: number;
  /** The hunks of a unified diff, without secrets. */
  diff: string;
  /** How many lines of the hunks were left out. */
  omitted?: number;
};

/** The one stream that every surface draws from. Exactly one `finished` ends it. */
export type AgentEvent =
  | { type: 'started'; sessionId: string; taskId: string; model: string; provider: string }
  | { type: 'thinking-started' }
  | { type: 'thinking-finished' }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'text-delta'; text: string }
  /** What was streamed since the last `thinking-started` does not count: that call failed or is repeated. */
  | { type: 'answer-discarded'; reason: string }
  /** The model has begun to write a call; its arguments are still coming. */
  | { type: 'tool-call-seen'; name: string }
  | { type: 'tool-started'; callId: string; name: string; arguments: string }
  | { type: 'tool-progress'; callId: string; text: string }
  /** A call has written, changed or removed a file; it comes before the end of the call. */
  | ({ type: 'file-changed'; callId: string } & ChangedFile)
  | { type: 'tool-finished'; callId: string; name: string; status: ToolStatus; content: string; durationMs: number }
  /** A question that `respond(requestId, …)` answers. */
  | { type: 'request'; requestId: string; request: InteractionRequest }
  /** The question is over: answered, timed out, or the turn ended. */
  | { type: 'request-closed'; requestId: string }
  /** What one call took; the hit rate is the part of its input that came from a cache, from 0 to 1. */
  | { type: 'usage'; usage: Usage; cost: Cost; contextTokens: number; cacheHitRate?: number }
  | { type: 'step-finished'; apiCalls: number; toolCalls: number }
  | { type: 'retry'; kind: ModelErrorKind | 'answer'; message: string; attempt: number; waitMs: number }
  | { type: 'fallback'; from: string; to: string; reason: string }
  /** The conversation is about to get smaller: so many messages and tokens. One of the two that follow ends it. */
  | { type: 'compression-started'; reason: CompressionReason; messages: number; tokens: number }
  /** It goes on in another session, which has this id. */
  | ({ type: 'compressed'; reason: CompressionReason; durationMs: number } & CompressionReport)
  /** Nothing could be saved; the conversation is as it was. */
  | { type: 'compression-skipped'; reason: CompressionReason }
  /** The model cannot read an attachment, so another one described it: `by` is `provider/model`. */
  | { type: 'attachment-described'; name: string; by: string }
  | { type: 'steered'; text: string }
  /** The program itself told the model something, such as that a background process has ended. */
  | { type: 'notified'; text: string }
  /** What a subagent does that a call of this agent started; `task` is its number among the tasks of that call, from 1. */
  | { type: 'subagent'; callId: string; task: number; sessionId: string; event: SubagentEvent }
  | { type: 'warning'; message: string }
  | { type: 'finished'; result: RunResult };

/** Too much of several at once, or told in another way: a subagent's questions are asked by its agent. */
type Untold =
  | 'text-delta'
  | 'reasoning-delta'
  | 'tool-progress'
  | 'request'
  | 'request-closed'
  | 'subagent'
  | 'finished';

/** What is told of a subagent as it works; `ended` is the last of it. */
export type SubagentEvent = Exclude<AgentEvent, { type: Untold }> | EndedSubagent;

type EndedSubagent = {
  type: 'ended';
  exitReason: ExitReason;
  apiCalls: number;
  toolCalls: number;
  durationMs: number;
  /** What auxiliary tasks took for it; its own calls were told of as they came. */
  auxiliary?: AuxiliaryShare;
};

/**
 * Why a conversation is compressed: it was loaded too large, grew too large by results, a provider refused it, the
 * person asked, or a surface tidies up before a turn.
 */
export type CompressionReason = 'preflight' | 'results' | 'overflow' | 'command' | 'hygiene';

/** What a compression came to. */
export type CompressionReport = {
  /** Where the conversation goes on: the child, or for a preview the session as it is. */
  sessionId: string;
  messagesBefore: number;
  messagesAfter: number;
  /** By the same guess before and after, with what goes along with every request. */
  tokensBefore: number;
  tokensAfter: number;
  /** Who wrote what stands for the rest: a model, an extract without one, a map of what was removed, or nobody. */
  by: 'model' | 'extract' | 'map' | 'none';
  /** `provider/model`. */
  model?: string;
  /** Why it was not a model. */
  why?: string;
};
