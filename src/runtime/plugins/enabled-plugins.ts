import { errorMessage } from '../../base/index.ts';
import { BUILT_IN_ENGINES } from '../../context/index.ts';
import type { Logger, PluginTool } from '../../contracts/index.ts';
import { createTurnHooks, openPluginSet, type PluginSet, type ProcessHooks } from '../../plugins/index.ts';
import { createRegisteredTool, type Tool, type ToolSource } from '../../tools/index.ts';
import { settlesWithin } from '../../util/index.ts';
import { cachePluginTools } from './cached-tools.ts';
import type { PluginParts, RuntimePlugins } from './open-plugins.ts';

/** How long the first request waits for plugins, and shutdown for their last hooks. */
const WAIT_MS = 2_000;

export async function openEnabledPlugins({ settings, workingDirectory, logger }: PluginParts): Promise<RuntimePlugins> {
  const { home, variables, terminal, plugins, hooks = [] } = settings;
  const { passedVariables } = terminal;
  const set = await openPluginSet({
    home,
    hooks,
    variables,
    passedVariables,
    workingDirectory,
    logger,
    settings: plugins,
  });
  const stopKeeping = set.providesTools() ? startToolCache(set, home, logger) : undefined;
  return createRuntimePlugins(set, createTurnHooks(set.hooks), stopKeeping);
}

/**
 * Caches the tools of plugins in the background. If it fails, only descriptions are incomplete. Returns a function
 * that stops it.
 */
function startToolCache(set: PluginSet, home: string, logger: Logger): () => Promise<void> {
  let isOver = false;
  let keeping: Promise<void> | undefined;
  const keep = () => {
    if (isOver) return;
    keeping = cachePluginTools(home, set.tools()).catch((thrown: unknown) => {
      logger.warn('could not cache the tools of plugins', { error: errorMessage(thrown) });
    });
  };
  void set.whenLoaded().then(keep);
  return async () => {
    isOver = true;
    await keeping;
  };
}

function createRuntimePlugins(
  set: PluginSet,
  turnHooks: ProcessHooks,
  stopKeeping: (() => Promise<void>) | undefined,
): RuntimePlugins {
  // The same object for the same tool, because callers compare them by identity.
  const made = new Map<PluginTool, Tool>();
  const toolOf = ({ plugin, tool }: { plugin: string; tool: PluginTool }) => {
    const known = made.get(tool) ?? createRegisteredTool(tool, { toolset: `plugin-${plugin}` });
    made.set(tool, known);
    return known;
  };
  const source: ToolSource = { name: 'plugins', kind: 'plugin', tools: () => set.tools().map(toolOf) };
  return {
    whenUsable: async () => void (await settlesWithin(set.whenReadyForRequest(), WAIT_MS)),
    whenLoaded: set.whenLoaded,
    list: set.plugins,
    // Return a tool source only if plugins register tools, because any tool source adds the tool bridge to every
    // request.
    toolSources: () => (set.providesTools() ? [source] : []),
    toolHooks: () => ({ [Symbol.iterator]: () => set.hooks()[Symbol.iterator]() }),
    turnHooks,
    commands: set.commands,
    warnings: set.warnings,
    handleUnhandledError: set.handleUnhandledRejection,
    async factoriesFor({ contextEngine, memory }) {
      const isBuiltIn = contextEngine === undefined || BUILT_IN_ENGINES.some((name) => name === contextEngine);
      if (isBuiltIn && memory?.provider === undefined) return {};
      await set.whenLoaded();
      return { contextEngines: set.contextEngines(), memoryProviders: set.memoryProviders() };
    },
    async platforms() {
      await set.whenLoaded();
      return set.platforms();
    },
    async close() {
      await turnHooks.settled(WAIT_MS);
      await stopKeeping?.();
      set.close();
    },
  };
}
