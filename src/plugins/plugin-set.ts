import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PluginSettings, ShellHookSettings } from '../config/index.ts';
import {
  type ContextEngineFactory,
  HOOK_EVENTS,
  type Hooks,
  type Logger,
  type Platform,
  type PluginCommand,
  type PluginMemoryFactory,
  type PluginTool,
} from '../contracts/index.ts';
import { isInside } from '../util/index.ts';
import type { RegisteredHook, Registrations } from './create-host.ts';
import { type FoundPlugin, findEnabledPlugins } from './find-plugins.ts';
import { limitHooks } from './limit-hooks.ts';
import { type LoadedPlugin, type LoadOptions, loadPlugin } from './load-plugin.ts';
import { describeFault } from './plugin-fault.ts';
import { createShellHooks, describeSkippedHooks } from './shell-hooks/shell-hooks.ts';

export type PluginSetOptions = {
  home: string;
  workingDirectory: string;
  settings: PluginSettings | undefined;
  hooks: readonly ShellHookSettings[];
  variables: LoadOptions['variables'];
  passedVariables: readonly string[];
  logger: Logger;
  /** Time limit for a hook of a plugin; default 5 s. */
  hookMs?: number;
  loadMs?: number;
  hostVersion?: string | undefined;
};

/** The additions of the plugins that are loaded so far, in the order in which they are enabled, and the shell hooks. */
export interface PluginSet {
  plugins(): readonly LoadedPlugin[];
  /** The tools, each with the plugin that registered it. */
  tools(): readonly { plugin: string; tool: PluginTool }[];
  /** Whether a plugin registered tools or declares that it will. */
  providesTools(): boolean;
  commands(): readonly { plugin: string; command: PluginCommand }[];
  /** The hooks of plugins first, then the shell hooks. */
  hooks(): readonly Hooks[];
  contextEngines(): Readonly<Record<string, ContextEngineFactory>>;
  memoryProviders(): Readonly<Record<string, PluginMemoryFactory>>;
  platforms(): readonly Platform[];
  /** Messages for the user: skipped plugins, rejected registrations, and shell hooks that wait for approval. */
  warnings(): readonly string[];
  /** Logs an unhandled rejection and returns true if a plugin caused it; the process then continues. */
  handleUnhandledRejection(thrown: unknown): boolean;
  /** Resolves when the plugins that the first request needs are loaded: those with tools or hooks. */
  whenReadyForRequest(): Promise<void>;
  whenLoaded(): Promise<void>;
  /** Ends hook commands that are still running. */
  close(): void;
}

const HOOK_MS = 5_000;

/** Reads the manifests of the enabled plugins and starts loading all of them in parallel. */
export async function openPluginSet(options: PluginSetOptions): Promise<PluginSet> {
  const { logger, settings, hookMs: limitMs = HOOK_MS } = options;
  const closing = new AbortController();
  const waiting = await describeSkippedHooks(options.hooks, options);
  const shellHooks = createShellHooks(options.hooks, { ...options, signal: closing.signal });
  const plugins: LoadedPlugin[] = await findEnabledPlugins(options);
  for (const { fault } of plugins) if (fault !== undefined) logger.warn('skipped a plugin', { ...fault });
  const hooks = new Map<string, Hooks[]>();

  const loading = plugins.map(async (found, index) => {
    const loaded = await loadPlugin(found, { ...options, config: settings?.config ?? {} });
    plugins[index] = loaded;
    const own = (loaded.registrations?.hooks ?? []).map((hook) => toHooks(loaded.name, hook));
    hooks.set(
      loaded.name,
      own.map((hook) => limitHooks(hook, { logger, limitMs })),
    );
  });
  const usable = loading.filter((_, index) => isForFirstRequest(plugins[index]));
  const brought = additionsOf(plugins);
  return {
    ...brought,
    plugins: () => plugins,
    providesTools: () =>
      plugins.some(({ state, manifest }) => state === 'on' && (manifest?.provides.tools.length ?? 0) > 0),
    hooks: () => [...plugins.flatMap(({ name }) => hooks.get(name) ?? []), ...shellHooks],
    warnings: () => [...warningsOf(plugins), ...waiting],
    handleUnhandledRejection(thrown) {
      const plugin = findResponsiblePlugin(thrown, plugins);
      if (plugin !== undefined) logger.error('a plugin caused an unhandled rejection', { plugin }, thrown);
      return plugin !== undefined;
    },
    whenReadyForRequest: async () => void (await Promise.all(usable)),
    whenLoaded: async () => void (await Promise.all(loading)),
    close: () => closing.abort(),
  };
}

function isForFirstRequest(plugin: FoundPlugin | undefined): boolean {
  const { tools = [], hooks = [] } = plugin?.manifest?.provides ?? {};
  return tools.length + hooks.length > 0;
}

type PluginAdditions = Pick<PluginSet, 'tools' | 'commands' | 'contextEngines' | 'memoryProviders' | 'platforms'>;

function additionsOf(plugins: readonly LoadedPlugin[]): PluginAdditions {
  return {
    tools: () =>
      plugins.flatMap(({ name: plugin, registrations }) =>
        [...(registrations?.tools.values() ?? [])].map((tool) => ({ plugin, tool })),
      ),
    commands: () =>
      plugins.flatMap(({ name: plugin, registrations }) =>
        [...(registrations?.commands.values() ?? [])].map((command) => ({ plugin, command })),
      ),
    contextEngines: () => firstOfEachName(plugins, 'contextEngines'),
    memoryProviders: () => firstOfEachName(plugins, 'memoryProviders'),
    platforms: () => Object.values(firstOfEachName(plugins, 'platforms')),
  };
}

type UniqueAddition = 'contextEngines' | 'memoryProviders' | 'platforms';
type Added<Kind extends UniqueAddition> = Registrations[Kind] extends Map<string, infer Value> ? Value : never;

/** If several plugins register the same name, the first one is used. */
function firstOfEachName<Kind extends UniqueAddition>(
  plugins: readonly LoadedPlugin[],
  kind: Kind,
): Readonly<Record<string, Added<Kind>>> {
  const all = plugins.flatMap(({ registrations }) => [...(registrations?.[kind] ?? [])]);
  return Object.fromEntries(all.reverse()) as Readonly<Record<string, Added<Kind>>>;
}

function warningsOf(plugins: readonly LoadedPlugin[]): string[] {
  const faults = plugins.flatMap(({ fault }) => (fault === undefined ? [] : [describeFault(fault)]));
  const refused = plugins.flatMap(({ name, registrations }) =>
    (registrations?.rejected ?? []).map((reason) => `Plugin ${name}: ${reason}.`),
  );
  return [...faults, ...refused, ...conflictsOf(plugins)];
}

/**
 * Warnings for names that several plugins register. Tools are not included: the last tool with a name is used, and
 * that is logged on use.
 */
function conflictsOf(plugins: readonly LoadedPlugin[]): string[] {
  return (['contextEngines', 'memoryProviders', 'platforms'] as const).flatMap((kind) => {
    const first = new Map<string, string>();
    return plugins.flatMap(({ name: plugin, registrations }) =>
      [...(registrations?.[kind].keys() ?? [])].flatMap((name) => {
        const other = first.get(name);
        if (other === undefined) first.set(name, plugin);
        return other === undefined
          ? []
          : [`Plugin ${plugin}: "${name}" is already registered by ${other}, which is used.`];
      }),
    );
  });
}

/** Wraps one handler of a plugin as hooks. Its return value is validated. */
function toHooks(plugin: string, { event, handler }: RegisteredHook): Hooks {
  const call = handler as (...args: readonly unknown[]) => unknown;
  const ask = async (...args: readonly unknown[]) => readAnswer(event, await call(...args));
  return { name: plugin, [HOOK_EVENTS[event]]: ask };
}

/** Ignores anything of the wrong shape: plugins are third-party code. */
function readAnswer(event: RegisteredHook['event'], answer: unknown): unknown {
  const record = (typeof answer === 'object' && answer !== null ? answer : {}) as Record<string, unknown>;
  switch (event) {
    case 'pre_tool_call':
      return typeof record['block'] === 'string' ? { block: record['block'] } : undefined;
    case 'transform_tool_result':
      return typeof answer === 'string' ? answer : undefined;
    case 'pre_llm_call':
      return typeof record['context'] === 'string' ? { context: record['context'] } : undefined;
    default:
      return undefined;
  }
}

type PluginLocation = { name: string; folder: string };

/**
 * The plugin whose code caused an unhandled rejection: the first one in the stack trace before any code of Hermes.
 * Undefined if there is none.
 */
function findResponsiblePlugin(thrown: unknown, plugins: readonly PluginLocation[]): string | undefined {
  for (const file of filesInStack(thrown instanceof Error ? (thrown.stack ?? '') : '')) {
    if (isInside(import.meta.dirname, file)) return undefined;
    const owner = plugins.find(({ folder }) =>
      [folder, realPathOf(folder)].some((location) => isInside(location, file)),
    );
    if (owner !== undefined) return owner.name;
  }
  return undefined;
}

/** Node resolves symbolic links of modules. */
function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The files of a stack trace in order: `at name (FILE:1:2)` or `at FILE:1:2`. */
function filesInStack(stack: string): string[] {
  return [...stack.matchAll(/^ {4}at (?:.*\()?(?<place>[^()]+?)(?::\d+){1,2}\)?$/gm)].flatMap(({ groups }) => {
    const location = groups?.['place']?.replace(/^async /, '') ?? '';
    const path = location.startsWith('file:') ? toPath(location) : location;
    // Node's internal modules have no path.
    return isAbsolute(path) ? [path] : [];
  });
}

function toPath(address: string): string {
  try {
    return fileURLToPath(address);
  } catch {
    return address;
  }
}
