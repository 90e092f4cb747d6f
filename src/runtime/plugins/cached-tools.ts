import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isJsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { homePaths, type Settings } from '../../config/index.ts';
import type { PluginTool } from '../../contracts/index.ts';
import { createSchemaTool, ToolFailure, type Tool, type ToolSource } from '../../tools/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../../util/index.ts';

/** A cached tool definition, for callers that only describe tools. */
type CachedTool = { plugin: string } & Pick<
  PluginTool,
  'name' | 'description' | 'parameters' | 'toolset' | 'emoji' | 'readOnly' | 'outsideText' | 'onDemand'
>;

/**
 * Caches the tool definitions of plugins, so that describing them does not run plugin code. Writes only if something
 * changed.
 */
export async function cachePluginTools(
  home: string,
  brought: readonly { plugin: string; tool: PluginTool }[],
): Promise<void> {
  const file = homePaths(home).pluginToolsFile;
  const tools = brought.map(({ plugin, tool }): CachedTool => {
    const { isAvailable: _, run: __, ...about } = tool;
    return { plugin, ...about };
  });
  const text = JSON.stringify({ version: 1, tools });
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  await ensurePrivateFolder(dirname(file));
  await writeFileAtomic(file, text, { mode: 0o600 });
}

/** The tools that enabled plugins registered when they were last loaded. */
export async function cachedPluginTools({ home, plugins }: Settings): Promise<readonly ToolSource[]> {
  if ((plugins?.enabled.length ?? 0) + (plugins?.packages.length ?? 0) === 0) return [];
  const content = parseJson(await readFile(homePaths(home).pluginToolsFile, 'utf8').catch(() => ''));
  const listed = isJsonObject(content) && Array.isArray(content['tools']) ? content['tools'] : [];
  const isOff = (plugin: string) => plugins?.disabled.includes(plugin) === true || !isNamed(plugin, plugins);
  const known = listed.filter(isKnownTool) as unknown as CachedTool[];
  const tools = known.flatMap((tool) => (isOff(tool.plugin) ? [] : [toTool(tool)]));
  return [{ name: 'plugins', kind: 'plugin', tools: () => tools }];
}

/**
 * Whether a plugin may be enabled. A package may be configured by its folder, so any configured package may be this
 * plugin.
 */
function isNamed(plugin: string, plugins: Settings['plugins']): boolean {
  return plugins?.enabled.includes(plugin) === true || (plugins?.packages.length ?? 0) > 0;
}

function isKnownTool(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { plugin, name, description, parameters } = value;
  return [plugin, name, description].every((text) => typeof text === 'string') && isJsonObject(parameters ?? null);
}

function toTool({ plugin, toolset = `plugin-${plugin}`, ...about }: CachedTool): Tool {
  return createSchemaTool({
    outsideText: true,
    readOnly: false,
    ...about,
    toolset,
    concurrency: { mode: 'barrier' },
    run: () => Promise.reject(new ToolFailure(`The plugin ${plugin} is not loaded.`)),
  });
}
