import type { Settings } from '../../config/index.ts';
import type { Hooks, Logger, Platform, PluginCommand } from '../../contracts/index.ts';
import type { MemoryProviderFactories } from '../../memory/index.ts';
import type { LoadedPlugin, ProcessHooks } from '../../plugins/index.ts';
import type { ToolSource } from '../../tools/index.ts';
import type { ContextEngineFactories } from '../open-context.ts';

/** What plugins and shell hooks provide to the sessions of a process. */
export interface RuntimePlugins {
  /** Waits briefly for plugins with tools or hooks; slower ones become available later. */
  whenUsable(): Promise<void>;
  whenLoaded(): Promise<void>;
  list(): readonly LoadedPlugin[];
  toolSources(): readonly ToolSource[];
  toolHooks(): Iterable<Hooks>;
  /** Undefined if there are no hooks and none can be added later. */
  readonly turnHooks: ProcessHooks | undefined;
  commands(): readonly { plugin: string; command: PluginCommand }[];
  warnings(): readonly string[];
  /** Handles an unhandled error that a plugin threw. Returns false if no plugin threw it. */
  handleUnhandledError(thrown: unknown): boolean;
  /** The context engines and memory providers of plugins, if these settings need one. */
  factoriesFor(settings: Settings): Promise<Factories>;
  /** The messaging platforms of plugins, when all plugins are loaded. */
  platforms(): Promise<readonly Platform[]>;
  close(): Promise<void>;
}

type Factories = { contextEngines?: ContextEngineFactories; memoryProviders?: MemoryProviderFactories };

export type PluginParts = { settings: Settings; workingDirectory: string; logger: Logger };

const NONE: RuntimePlugins = {
  whenUsable: async () => undefined,
  whenLoaded: async () => undefined,
  list: () => [],
  toolSources: () => [],
  toolHooks: () => [],
  turnHooks: undefined,
  commands: () => [],
  warnings: () => [],
  handleUnhandledError: () => false,
  factoriesFor: async () => ({}),
  platforms: async () => [],
  close: async () => undefined,
};

/** Starts loading the enabled plugins. Without plugins and hooks, nothing is loaded and no directory is read. */
export async function openPlugins(parts: PluginParts): Promise<RuntimePlugins> {
  const { plugins, hooks = [] } = parts.settings;
  const isWanted = (plugins?.enabled.length ?? 0) + (plugins?.packages.length ?? 0) + hooks.length > 0;
  if (!isWanted) return NONE;
  const { openEnabledPlugins } = await import('./enabled-plugins.ts');
  return openEnabledPlugins(parts);
}
