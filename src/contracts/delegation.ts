import type { ExitReason, JsonObject, SubagentEvent } from '../base/index.ts';
import type { Interaction } from './tool.ts';

/** What one subagent is to do. It knows nothing else: not the conversation, not the other tasks. */
export type DelegatedTask = {
  goal: string;
  context?: string | undefined;
  /** `MODEL` or `PROVIDER/MODEL`; the one of the chat where none is named. */
  model?: string | undefined;
  /** Of the tools that its agent has only these. */
  toolsets?: readonly string[] | undefined;
  /** What its final answer has to be: the text of its report is then JSON that validates, or it has failed. */
  outputSchema?: JsonObject | undefined;
};

/** What came of a task. Whatever went wrong with it is in here. */
export type SubagentReport = {
  /** Undefined where it never began. */
  sessionId: string | undefined;
  ended: ExitReason | 'timed_out' | 'not_started';
  /** Its final answer, or what there was of it. */
  text: string;
  /** Why it did not end well. */
  error: string | undefined;
  apiCalls: number;
  toolCalls: number;
  durationMs: number;
};

/** News of the subagent that has the task of this number, from 1. */
export type SubagentNews = { task: number; sessionId: string; event: SubagentEvent };

/** For whom the work is done: what it costs counts there, and whoever is there is asked what a subagent must ask. */
export type DelegationCaller = {
  sessionId: string;
  signal: AbortSignal;
  interaction: Interaction;
  tell(news: SubagentNews): void;
};

/** Lets subagents work. */
export interface Delegation {
  /** Some of them at once, the others after; reports in the order of the tasks. Never rejects because of a subagent. */
  run(tasks: readonly DelegatedTask[], caller: DelegationCaller): Promise<SubagentReport[]>;
}
