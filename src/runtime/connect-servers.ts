import type { Clock } from '../base/index.ts';
import type { AuxiliaryModels, Logger } from '../contracts/index.ts';
import type { RuntimeOptions } from './create-runtime.ts';

type Parts = { auxiliary: AuxiliaryModels | undefined; logger: Logger; clock: Clock };

/** The options with the tools of MCP servers among their sources. Nothing is loaded where the settings name none. */
export async function connectServers(
  options: RuntimeOptions,
  parts: Parts,
): Promise<{ options: RuntimeOptions; close(): Promise<void> }> {
  const { settings, workingDirectory, attended, toolSources = [] } = options;
  if (settings.mcpServers === undefined) return { options, close: async () => undefined };
  const { openServers } = await import('./mcp/open-servers.ts');
  const { sources, servers } = openServers(settings, { workingDirectory, attended, ...parts });
  return { options: { ...options, toolSources: [...toolSources, ...sources] }, close: servers.close };
}
