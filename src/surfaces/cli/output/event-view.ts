import type { AgentEvent, RunResult } from '../../../base/index.ts';

/** Shows one turn as it happens. The result comes once, after the last event. */
export interface EventView {
  show(event: AgentEvent): void;
  finish(result: RunResult): void;
}
