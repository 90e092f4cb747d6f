import type { Clock } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { AuxiliaryModels, Logger } from '../contracts/index.ts';
import type { ToolSource } from '../tools/index.ts';
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

/** The tools that servers had the last time, for those who only describe them. */
export async function knownServerTools(settings: Settings, workingDirectory: string): Promise<readonly ToolSource[]> {
  if (settings.mcpServers === undefined) return [];
  const sources = (await import('./mcp/open-servers.ts')).describeServers(settings, workingDirectory);
  for (const source of sources) await source.ready?.();
  return sources;
}
