import type { ExitReason, JsonObject, SubagentEvent } from '../base/index.ts';
import type { Interaction } from './tool.ts';

/** The task of one subagent. The subagent sees nothing else: neither the conversation nor the other tasks. */
export type DelegatedTask = {
  goal: string;
  context?: string | undefined;
  /** `MODEL` or `PROVIDER/MODEL`; the chat's model by default. */
  model?: string | undefined;
  /** Restricts the subagent to these tool sets of its parent. */
  toolsets?: readonly string[] | undefined;
  /** Answer schema: the text of the report is then valid JSON, or the task has failed. */
  outputSchema?: JsonObject | undefined;
};

/** The subagent report, including failures. */
export type SubagentReport = {
  /** Undefined if the subagent never started. */
  sessionId: string | undefined;
  ended: ExitReason | 'timed_out' | 'not_started';
  /** The final answer of the subagent, or the part that exists if it did not finish. */
  text: string;
  /** Why the subagent did not complete its task. */
  error: string | undefined;
  apiCalls: number;
  toolCalls: number;
  durationMs: number;
};

/** An event of the subagent with this task number, counted from 1. */
export type SubagentUpdate = { task: number; sessionId: string; event: SubagentEvent };

/** The caller of a delegation: costs count for its session, and its user answers approval prompts of subagents. */
export type DelegationCaller = {
  sessionId: string;
  signal: AbortSignal;
  interaction: Interaction;
  report(news: SubagentUpdate): void;
};

/** Runs subagents. */
export interface Delegation {
  /**
   * Runs the tasks, several in parallel, and returns the reports in task order. Never rejects because of a subagent.
   */
  run(tasks: readonly DelegatedTask[], caller: DelegationCaller): Promise<SubagentReport[]>;
}
