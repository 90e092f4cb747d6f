import { selectTools, type Tool, type ToolSelection } from '../../tools/index.ts';

/** Not for subagents: they hand nothing on, ask nobody, remember nothing, and do nothing that outlives their task. */
const WITHHELD = ['delegate_task', 'clarify', 'memory', 'send_message', 'cronjob'];

/** Of the tools that its agent has, those of a subagent. */
export function selectForSubagent(toolsets: readonly string[] | undefined, known: readonly Tool[]): ToolSelection {
  return selectTools(
    {
      ...(toolsets !== undefined && { enabled: { names: toolsets, place: 'toolsets' } }),
      disabled: { names: WITHHELD, place: 'delegation' },
    },
    known,
  );
}
