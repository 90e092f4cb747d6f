import type { Settings } from '../config/index.ts';
import type { ToolSource } from '../tools/index.ts';
import { knownServerTools } from './connect-servers.ts';

/** What servers and plugins had the last time, for those who only describe it. Nothing is connected to, and no code runs. */
export async function knownSources(settings: Settings, workingDirectory: string): Promise<readonly ToolSource[]> {
  const servers = await knownServerTools(settings, workingDirectory);
  if (settings.plugins === undefined) return servers;
  const { knownPluginTools } = await import('./plugins/known-tools.ts');
  return [...servers, ...(await knownPluginTools(settings))];
}
