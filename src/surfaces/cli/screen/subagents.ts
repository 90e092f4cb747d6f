import type { AgentEvent } from '../../../base/index.ts';
import { subagentNote } from '../output/subagent-line.ts';
import { goalOf, renderSubagent, renderSubagentEnd, type Theme } from '../render/index.ts';

type News = Extract<AgentEvent, { type: 'subagent' }>;
type Working = { since: number; calls: Map<string, { name: string; arguments: string }> };

/** The subagents of one call: those that work are drawn below it, those that have ended are printed. */
export interface SubagentLines {
  /** Takes what is new, and gives back the line that stays of it. */
  take(news: News, width: number, theme: Theme): string | undefined;
  draw(width: number, theme: Theme): string[];
}

/** Below the call of the agent itself. */
const DEPTH = 1;
const MOST_DRAWN = 6;

export function createSubagentLines(callArguments: string): SubagentLines {
  const working = new Map<number, Working>();
  const about = (task: number) => ({ task, goal: goalOf(callArguments, task), depth: DEPTH });
  return {
    take({ task, event }, width, theme) {
      if (event.type === 'ended') {
        working.delete(task);
        return renderSubagentEnd({ ...about(task), ...event }, width, theme);
      }
      const one = working.get(task) ?? { since: performance.now(), calls: new Map() };
      working.set(task, one);
      if (event.type === 'tool-started') one.calls.set(event.callId, event);
      if (event.type === 'tool-finished') one.calls.delete(event.callId);
      return subagentNote(theme, task, event);
    },
    draw(width, theme) {
      const all = [...working].toSorted(([one], [other]) => one - other);
      const lines = all.slice(0, MOST_DRAWN).map(([task, { since, calls }]) => {
        const now = { call: [...calls.values()].at(-1), elapsedMs: performance.now() - since };
        return renderSubagent({ ...about(task), ...now }, width, theme);
      });
      const more = all.length - MOST_DRAWN;
      return more > 0 ? [...lines, theme.dim(`  … ${more} more`)] : lines;
    },
  };
}
