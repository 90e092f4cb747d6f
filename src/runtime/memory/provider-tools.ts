import { errorMessage } from '../../base/index.ts';
import type { MemoryProvider, MemoryProviderTool } from '../../contracts/index.ts';
import { createSchemaTool, type Tool, ToolFailure, type ToolSource } from '../../tools/index.ts';

/** The tools of a memory provider, switched on and off with `memory`. What they bring in was written by others. */
export function createProviderTools(provider: MemoryProvider): ToolSource[] {
  const tools = (provider.tools?.() ?? []).map((tool) => toTool(tool, provider));
  return tools.length === 0 ? [] : [{ name: provider.name, kind: 'plugin', tools: () => tools }];
}

function toTool(
  { name, description, parameters, readOnly = false, run }: MemoryProviderTool,
  provider: MemoryProvider,
): Tool {
  const tool = createSchemaTool({
    ...{ name, description, parameters, readOnly },
    toolset: 'memory',
    outsideText: true,
    concurrency: { mode: readOnly ? 'parallel' : 'barrier' },
    async run(args, { sessionId, signal }) {
      try {
        return await run(args, { sessionId, signal });
      } catch (thrown) {
        signal.throwIfAborted();
        throw new ToolFailure(`${provider.name} could not answer: ${errorMessage(thrown)}`);
      }
    },
  });
  return { ...tool, isAvailable: () => provider.isAvailable() };
}
