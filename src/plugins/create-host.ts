import type { JsonObject } from '../base/index.ts';
import type {
  ContextEngineFactory,
  HookEvent,
  HookHandler,
  Host,
  Logger,
  PluginCommand,
  PluginMemoryFactory,
  PluginTool,
} from '../contracts/index.ts';
import { HOST_VERSION, type PluginManifest, type Provisions } from './manifest.ts';

/** One hook of a plugin: the step, and what is called. */
export type RegisteredHook = { event: HookEvent; handler: HookHandler<HookEvent> };

/** What a plugin brought. */
export type Registrations = {
  tools: Map<string, PluginTool>;
  hooks: RegisteredHook[];
  commands: Map<string, PluginCommand>;
  contextEngines: Map<string, ContextEngineFactory>;
  memoryProviders: Map<string, PluginMemoryFactory>;
  /** What was not taken, and why. */
  refused: string[];
};

export type HostOptions = {
  manifest: PluginManifest;
  folder: string;
  config: JsonObject;
  variables: Readonly<Record<string, string | undefined>>;
  logger: Logger;
};

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The host of one plugin. `close` ends the time in which it may register something. */
export function createHost(options: HostOptions): { host: Host; registrations: Registrations; close(): void } {
  const { manifest, folder, config, variables } = options;
  const { name, version, provides } = manifest;
  const logger = namedLogger(options.logger, name);
  const registrations = emptyRegistrations();
  let open = true;

  /** Whether something may be taken; what may not is said, and the plugin goes on. */
  function accepts(what: string, kind: keyof Provisions, key: unknown, fault?: string): boolean {
    const reason = open ? (fault ?? findFault(kind, key, provides, registrations)) : 'its time to register was over';
    if (reason === undefined) return true;
    const refusal = `${what} ${JSON.stringify(key) ?? 'without a name'} was not taken: ${reason}`;
    registrations.refused.push(refusal);
    logger.warn(refusal);
    return false;
  }

  const host: Host = {
    version: HOST_VERSION,
    plugin: Object.freeze({ name, version, folder }),
    config,
    logger,
    variable: (variable) => (manifest.variables.includes(variable) ? variables[variable] : undefined),
    registerTool(tool) {
      if (accepts('the tool', 'tools', tool?.name, toolFault(tool))) registrations.tools.set(tool.name, tool);
    },
    registerHook(event, handler) {
      const fault = typeof handler === 'function' ? undefined : 'its handler is no function';
      if (accepts('the hook', 'hooks', event, fault)) registrations.hooks.push({ event, handler });
    },
    registerCommand(command) {
      const fault = typeof command?.run === 'function' ? undefined : 'it has no function run';
      if (accepts('the command', 'commands', command?.name, fault)) registrations.commands.set(command.name, command);
    },
    registerContextEngine(engine, create) {
      const fault = typeof create === 'function' ? undefined : 'there is no function that makes it';
      if (accepts('the context engine', 'contextEngines', engine, fault))
        registrations.contextEngines.set(engine, create);
    },
    registerMemoryProvider(provider, create) {
      const fault = typeof create === 'function' ? undefined : 'there is no function that makes it';
      if (accepts('the memory provider', 'memoryProviders', provider, fault))
        registrations.memoryProviders.set(provider, create);
    },
  };
  return { host: Object.freeze(host), registrations, close: () => (open = false) };
}

function emptyRegistrations(): Registrations {
  return {
    tools: new Map(),
    hooks: [],
    commands: new Map(),
    contextEngines: new Map(),
    memoryProviders: new Map(),
    refused: [],
  };
}

/** What the manifest says counts: a person saw it before the plugin was enabled. */
function findFault(kind: keyof Provisions, key: unknown, provides: Provisions, taken: Registrations) {
  if (typeof key !== 'string' || key === '') return 'it has no name';
  const declared: readonly string[] = provides[kind];
  if (!declared.includes(key)) return `the manifest does not name it in ${MANIFEST_KEYS[kind]}`;
  // Hooks may be many at one step; of everything else a name stands for one thing.
  const isTwice = kind !== 'hooks' && taken[kind].has(key);
  return isTwice ? 'it was registered before' : undefined;
}

const MANIFEST_KEYS: Readonly<Record<keyof Provisions, string>> = {
  tools: 'provides_tools',
  hooks: 'provides_hooks',
  commands: 'provides_commands',
  contextEngines: 'provides_context_engines',
  memoryProviders: 'provides_memory_providers',
};

/** Code of others that no compiler may have looked at. */
function toolFault(tool: Partial<PluginTool> | undefined): string | undefined {
  if (typeof tool?.name !== 'string' || !TOOL_NAME.test(tool.name))
    return 'its name has to be up to 64 letters, digits, _ and -';
  if (typeof tool.description !== 'string' || tool.description.trim() === '') return 'it has no description';
  if (typeof tool.parameters !== 'object' || tool.parameters === null) return 'its parameters are no JSON Schema';
  return typeof tool.run === 'function' ? undefined : 'it has no function run';
}

function namedLogger(logger: Logger, plugin: string): Logger {
  return {
    debug: (message, fields) => logger.debug(message, { plugin, ...fields }),
    info: (message, fields) => logger.info(message, { plugin, ...fields }),
    warn: (message, fields) => logger.warn(message, { plugin, ...fields }),
    error: (message, fields, cause) => logger.error(message, { plugin, ...fields }, cause),
  };
}
