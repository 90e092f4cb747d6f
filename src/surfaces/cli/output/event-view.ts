import type { AgentEvent, RunResult } from '../../../base/index.ts';

/** Shows one turn as it happens. The result comes once, after the last event. */
export interface EventView {
  /** What it needs for drawing is there; until then events wait. Absent where it needs nothing. */
  readonly ready?: Promise<void>;
  show(event: AgentEvent): void;
  /** `exitCode` is that of the process, which need not be the one of the turn. */
  finish(result: RunResult, exitCode?: number): void;
}
