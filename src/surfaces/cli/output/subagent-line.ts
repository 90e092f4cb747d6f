import type { AgentEvent, ChangedFile, SubagentEvent } from '../../../base/index.ts';
import { textWidth } from '../../../util/text-width.ts';
import { renderToolEnd } from '../render/tool-calls.ts';
import type { Style } from '../style.ts';
import { describeEvent } from './event-note.ts';

/** The running calls, including those of subagents. */
type Calls = Map<string, { arguments: string; changes: ChangedFile[] }>;

/**
 * Describes an event of a subagent in one line, indented below the call that started it; undefined if there is
 * nothing to print.
 */
export function subagentLine(
  style: Style,
  { task, sessionId, event }: Extract<AgentEvent, { type: 'subagent' }>,
  { calls, width }: { calls: Calls; width: number },
): string | undefined {
  switch (event.type) {
    case 'tool-started':
      // Call ids are unique only within a session.
      calls.set(`${sessionId} ${event.callId}`, { arguments: event.arguments, changes: [] });
      return undefined;
    case 'file-changed':
      calls.get(`${sessionId} ${event.callId}`)?.changes.push(event);
      return undefined;
    case 'tool-finished': {
      const key = `${sessionId} ${event.callId}`;
      const call = { arguments: '', ...calls.get(key), ...event };
      calls.delete(key);
      return withNumber(style, task, renderToolEnd(call, width - textWidth(numberOf(task)), style).join(''));
    }
    case 'ended':
      return withNumber(style, task, style.dim(`${event.exitReason} after ${(event.durationMs / 1000).toFixed(1)}s`));
    default:
      return subagentNote(style, task, event);
  }
}

/** Describes fallbacks and warnings of a subagent; undefined for other events. */
export function subagentNote(style: Style, task: number, event: SubagentEvent): string | undefined {
  if (event.type !== 'fallback' && event.type !== 'warning') return undefined;
  const said = describeEvent(event, style);
  return said && withNumber(style, task, said.line);
}

const numberOf = (task: number): string => `  ${task} › `;

function withNumber(style: Style, task: number, line: string): string {
  return `${style.dim(numberOf(task))}${line}`;
}
