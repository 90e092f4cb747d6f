import type { AgentEvent, RunResult } from '../../../base/index.ts';

/** Displays one turn. `finish` is called once, after the last event. */
export interface EventView {
  /** Events are held back until this resolves. Undefined if the view is ready immediately. */
  readonly ready?: Promise<void>;
  show(event: AgentEvent): void;
  /** `exitCode` is that of the process, which may differ from that of the turn. */
  finish(result: RunResult, exitCode?: number): void;
}
