import type { JsonObject } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { type McpCall, type McpServers, type McpTool, ServerFailure } from '../../mcp/index.ts';
import {
  createSchemaTool,
  keepWhole,
  type Tool,
  ToolDenied,
  ToolFailedOutput,
  ToolFailure,
  type ToolSource,
} from '../../tools/index.ts';
import { shorten } from '../../util/index.ts';

/** The same tool as its server has it now, where it was connected to anew since. */
export type FindCurrent = (server: string, name: string) => McpTool | undefined;

/**
 * The tools of all servers, each server a source of its own. Whoever works with them beside the chat keeps them, so a
 * call goes to the connection of its moment.
 */
export function createServerSources(servers: McpServers, findCurrent: FindCurrent = () => undefined): ToolSource[] {
  // A tool stays the same object for as long as its server has it: what was prepared is found again.
  const made = new WeakMap<McpTool, Tool>();
  const toolOf = (tool: McpTool, server: string): Tool => {
    const known = made.get(tool) ?? toTool(tool, () => findCurrent(server, tool.definition.name) ?? tool);
    made.set(tool, known);
    return known;
  };
  return servers.names.map((name) => ({
    name,
    kind: 'mcp',
    tools: () => servers.tools(name).map((tool) => toolOf(tool, name)),
    ready: servers.ready,
  }));
}

function toTool(tool: McpTool, current: () => McpTool): Tool {
  const { definition, toolset, readOnly, parallel } = tool;
  return createSchemaTool({
    ...definition,
    toolset,
    readOnly,
    outsideText: true,
    concurrency: { mode: parallel ? 'parallel' : 'barrier' },
    async run(args, context) {
      const now = current();
      await approve(now, args, context);
      const { text, isError } = await call(now, args, context);
      if (isError) throw new ToolFailedOutput(text);
      return text;
    },
  });
}

/** Nobody is asked about what only reads; what says of itself that it destroys asks, unless its server is trusted. */
async function approve({ definition, readOnly, asks }: McpTool, args: JsonObject, context: ToolContext): Promise<void> {
  const { name } = definition;
  const { approvals, interaction, agent, signal, sessionId, taskId } = context;
  const judgement = approvals.judgeTool({ name, reads: readOnly, asks });
  if (judgement.verdict === 'allow') return;
  const subject = `${name} ${shorten(JSON.stringify(args), 500)}`;
  const asked = { interaction, agent, signal, sessionId, taskId };
  const decision = await approvals.decide({ toolName: name, subject, judgement }, asked);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

async function call(tool: McpTool, args: JsonObject, context: ToolContext) {
  const { signal, sessionId, taskId, interaction, progress } = context;
  // Beside the long results of the session, and removed with them.
  const keepFile: McpCall['keepFile'] = (bytes, extension) => keepWhole(bytes, context, extension);
  try {
    return await tool.call(args, { signal, sessionId, taskId, interaction, progress, keepFile });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ServerFailure) throw new ToolFailure([thrown.message, thrown.hint ?? ''].join(' ').trim());
    throw thrown;
  }
}
