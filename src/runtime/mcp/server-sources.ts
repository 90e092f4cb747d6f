import { dirname } from 'node:path';
import type { JsonObject } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { type McpCall, type McpServers, type McpTool, ServerFailure } from '../../mcp/index.ts';
import {
  createSchemaTool,
  type Tool,
  ToolDenied,
  ToolFailedOutput,
  ToolFailure,
  type ToolSource,
} from '../../tools/index.ts';
import { ensurePrivateFolder, shorten, writeFileAtomic } from '../../util/index.ts';

/** The tools of all servers, each server a source of its own. */
export function createServerSources(servers: McpServers): ToolSource[] {
  // A tool stays the same object for as long as its server has it: what was prepared is found again.
  const made = new WeakMap<McpTool, Tool>();
  const toolOf = (tool: McpTool): Tool => {
    const known = made.get(tool) ?? toTool(tool);
    made.set(tool, known);
    return known;
  };
  return servers.names.map((name) => ({
    name,
    kind: 'mcp',
    tools: () => servers.tools(name).map(toolOf),
    ready: servers.ready,
  }));
}

function toTool(tool: McpTool): Tool {
  const { definition, toolset, readOnly, parallel } = tool;
  return createSchemaTool({
    ...definition,
    ...{ toolset, readOnly, outsideText: true },
    concurrency: { mode: parallel ? 'parallel' : 'barrier' },
    async run(args, context) {
      await approve(tool, args, context);
      const { text, isError } = await call(tool, args, context);
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
  const keepFile: McpCall['keepFile'] = (bytes, extension) => keep(context, bytes, extension);
  try {
    return await tool.call(args, { signal, sessionId, taskId, interaction, progress, keepFile });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ServerFailure) throw new ToolFailure([thrown.message, thrown.hint ?? ''].join(' ').trim());
    throw thrown;
  }
}

/** Beside the long results of the session, and removed with them. A full disk costs the file, not the answer. */
async function keep(context: ToolContext, bytes: Uint8Array, extension: string): Promise<string | undefined> {
  const file = context.spillFile()?.replace(/\.txt$/, `.${extension}`);
  if (file === undefined) return undefined;
  try {
    await ensurePrivateFolder(dirname(file));
    await writeFileAtomic(file, bytes, { mode: 0o600 });
    return file;
  } catch {
    return undefined;
  }
}
