import type { JsonObject } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { type McpCall, type McpServers, type McpTool, ServerFailure } from '../../mcp/index.ts';
import {
  AnswerWithImages,
  approveCall,
  createSchemaTool,
  saveFullText,
  type Tool,
  ToolFailedOutput,
  ToolFailure,
  QuotingFailure,
  type ToolSource,
} from '../../tools/index.ts';

/** Finds the current version of a tool after its server was reconnected. */
export type FindCurrent = (server: string, name: string, signal: AbortSignal) => Promise<McpTool | undefined>;

/**
 * One tool source per server. Sessions keep tool objects across a reload, so each call looks up the current
 * connection.
 */
export function createServerSources(
  servers: McpServers,
  findCurrent: FindCurrent = async () => undefined,
): ToolSource[] {
  // A tool keeps its object as long as its server provides it, so that cached preparations stay valid.
  const made = new WeakMap<McpTool, Tool>();
  const toolOf = (tool: McpTool, server: string): Tool => {
    const current = async (signal: AbortSignal) => (await findCurrent(server, tool.definition.name, signal)) ?? tool;
    const known = made.get(tool) ?? toTool(tool, current);
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

function toTool(tool: McpTool, current: (signal: AbortSignal) => Promise<McpTool>): Tool {
  const { definition, toolset, readOnly, parallel } = tool;
  return createSchemaTool({
    ...definition,
    toolset,
    readOnly,
    outsideText: true,
    concurrency: { mode: parallel ? 'parallel' : 'barrier' },
    async run(args, context) {
      const now = await current(context.signal);
      await approve(now, args, context);
      const { text, images, isError } = await call(now, args, context);
      if (isError) throw new ToolFailedOutput(text);
      return images.length === 0 ? text : new AnswerWithImages(text, images);
    },
  });
}

/** Asks for approval. Read-only tools need none; tools marked as destructive do, unless their server is trusted. */
async function approve(
  { definition, readOnly, needsApproval }: McpTool,
  args: JsonObject,
  context: ToolContext,
): Promise<void> {
  const { name } = definition;
  await approveCall({ name, reads: readOnly, asks: needsApproval }, `${name} ${JSON.stringify(args)}`, context);
}

async function call(tool: McpTool, args: JsonObject, context: ToolContext) {
  const { signal, sessionId, taskId, interaction, progress } = context;
  // The file is saved next to the spill files of the session and deleted with them.
  const keepFile: McpCall['saveFile'] = (bytes, extension) => saveFullText(bytes, context, extension);
  try {
    return await tool.call(args, { signal, sessionId, taskId, interaction, progress, saveFile: keepFile });
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof ServerFailure)) throw thrown;
    const Failure = thrown.isOwnText ? ToolFailure : QuotingFailure;
    throw new Failure([thrown.message, thrown.hint ?? ''].join(' ').trim());
  }
}
