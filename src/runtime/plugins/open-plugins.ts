import type { Settings } from '../../config/index.ts';
import type { Hooks, Logger, PluginCommand } from '../../contracts/index.ts';
import type { MemoryProviderFactories } from '../../memory/index.ts';
import type { LoadedPlugin, ProgramHooks } from '../../plugins/index.ts';
import type { ToolSource } from '../../tools/index.ts';
import type { ContextEngineFactories } from '../open-context.ts';

/** What the sessions of a program have of plugins and of the commands in `hooks`. */
export interface RuntimePlugins {
  /** Waits a moment for those that bring tools or hooks; who needs longer comes later. */
  whenUsable(): Promise<void>;
  whenLoaded(): Promise<void>;
  list(): readonly LoadedPlugin[];
  toolSources(): readonly ToolSource[];
  toolHooks(): Iterable<Hooks>;
  /** Undefined where there is none, and none can come. */
  readonly turnHooks: ProgramHooks | undefined;
  commands(): readonly { plugin: string; command: PluginCommand }[];
  warnings(): readonly string[];
  /** True where what nobody waited for was thrown by a plugin, and is taken care of. */
  takeStray(thrown: unknown): boolean;
  /** What they bring of what these settings name. */
  factoriesFor(settings: Settings): Promise<Factories>;
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
  takeStray: () => false,
  factoriesFor: async () => ({}),
  close: async () => undefined,
};

/** Begins to load what is enabled. A program without plugins and hooks loads nothing for it and looks at no folder. */
export async function openPlugins(parts: PluginParts): Promise<RuntimePlugins> {
  const { plugins, hooks = [] } = parts.settings;
  const isWanted = (plugins?.enabled.length ?? 0) + (plugins?.packages.length ?? 0) + hooks.length > 0;
  if (!isWanted) return NONE;
  const { openEnabledPlugins } = await import('./enabled-plugins.ts');
  return openEnabledPlugins(parts);
}
