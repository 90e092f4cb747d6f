import type { JsonObject } from '../base/index.ts';
import type {
  ContextEngineFactory,
  HookEvent,
  HookHandler,
  Host,
  Logger,
  Platform,
  PluginCommand,
  PluginMemoryFactory,
  PluginTool,
} from '../contracts/index.ts';
import { HOST_VERSION, type PluginManifest, type Provisions } from './manifest.ts';

/** A hook that a plugin registered. */
export type RegisteredHook = { event: HookEvent; handler: HookHandler<HookEvent> };

/** Everything that a plugin registered. */
export type Registrations = {
  tools: Map<string, PluginTool>;
  hooks: RegisteredHook[];
  commands: Map<string, PluginCommand>;
  contextEngines: Map<string, ContextEngineFactory>;
  memoryProviders: Map<string, PluginMemoryFactory>;
  platforms: Map<string, Platform>;
  /** Rejected registrations with the reason. */
  rejected: string[];
};

export type HostOptions = {
  manifest: PluginManifest;
  folder: string;
  config: JsonObject;
  variables: Readonly<Record<string, string | undefined>>;
  logger: Logger;
};

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The host of one plugin. After `close` it rejects registrations. */
export function createHost(options: HostOptions): { host: Host; registrations: Registrations; close(): void } {
  const { manifest, folder, config, variables } = options;
  const { name, version, provides } = manifest;
  const logger = namedLogger(options.logger, name);
  const registrations = emptyRegistrations();
  let open = true;

  /** Whether the host accepts a registration. A rejection is logged, and the plugin continues. */
  function accepts(what: string, kind: keyof Provisions, key: unknown, fault?: string): boolean {
    const reason = open
      ? (fault ?? findRejectionReason(kind, key, provides, registrations))
      : 'register() has already ended';
    if (reason === undefined) return true;
    const refusal = `${what} ${JSON.stringify(key) ?? 'without a name'} was rejected: ${reason}`;
    registrations.rejected.push(refusal);
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
      if (accepts('the tool', 'tools', tool?.name, findToolProblem(tool))) registrations.tools.set(tool.name, tool);
    },
    registerHook(event, handler) {
      const fault = typeof handler === 'function' ? undefined : 'its handler is not a function';
      if (accepts('the hook', 'hooks', event, fault)) registrations.hooks.push({ event, handler });
    },
    registerCommand(command) {
      const fault = typeof command?.run === 'function' ? undefined : 'it has no function `run`';
      if (accepts('the command', 'commands', command?.name, fault)) registrations.commands.set(command.name, command);
    },
    registerContextEngine(engine, create) {
      const fault = typeof create === 'function' ? undefined : 'the factory is not a function';
      if (accepts('the context engine', 'contextEngines', engine, fault))
        registrations.contextEngines.set(engine, create);
    },
    registerMemoryProvider(provider, create) {
      const fault = typeof create === 'function' ? undefined : 'the factory is not a function';
      if (accepts('the memory provider', 'memoryProviders', provider, fault))
        registrations.memoryProviders.set(provider, create);
    },
    registerPlatform(platform) {
      if (accepts('the platform', 'platforms', platform?.name, findPlatformProblem(platform)))
        registrations.platforms.set(platform.name, platform);
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
    platforms: new Map(),
    rejected: [],
  };
}

/** Only additions that the manifest declares are accepted: the user saw it before enabling the plugin. */
function findRejectionReason(kind: keyof Provisions, key: unknown, provides: Provisions, taken: Registrations) {
  if (typeof key !== 'string' || key === '') return 'it has no name';
  const declared: readonly string[] = provides[kind];
  if (!declared.includes(key)) return `the manifest does not list it in ${MANIFEST_KEYS[kind]}`;
  // An event may have several hooks; the names of all other additions must be unique.
  const isTwice = kind !== 'hooks' && taken[kind].has(key);
  return isTwice ? 'it is already registered' : undefined;
}

const MANIFEST_KEYS: Readonly<Record<keyof Provisions, string>> = {
  tools: 'provides_tools',
  hooks: 'provides_hooks',
  commands: 'provides_commands',
  contextEngines: 'provides_context_engines',
  memoryProviders: 'provides_memory_providers',
  platforms: 'provides_platforms',
};

/** Checked at runtime, because a plugin may be plain JavaScript. */
function findToolProblem(tool: Partial<PluginTool> | undefined): string | undefined {
  if (typeof tool?.name !== 'string' || !TOOL_NAME.test(tool.name))
    return 'its name must be 1 to 64 letters, digits, _ or -';
  if (typeof tool.description !== 'string' || tool.description.trim() === '') return 'it has no description';
  if (typeof tool.parameters !== 'object' || tool.parameters === null) return 'its parameters are not a JSON Schema';
  return typeof tool.run === 'function' ? undefined : 'it has no function `run`';
}

const PLATFORM_NAME = /^[a-z][a-z0-9_]{0,31}$/;
const SETTING_NAME = /^[A-Z][A-Z0-9_]*$/;

function findPlatformProblem(platform: Partial<Platform> | undefined): string | undefined {
  if (typeof platform?.name !== 'string' || !PLATFORM_NAME.test(platform.name))
    return 'its name must be 1 to 32 lower-case letters, digits or _';
  if (typeof platform.label !== 'string' || platform.label.trim() === '') return 'it has no label';
  const { required } = platform;
  if (!Array.isArray(required) || required.length === 0 || !required.every((name) => SETTING_NAME.test(name)))
    return '`required` must list the names of its settings, such as BOT_TOKEN';
  if (typeof platform.settings !== 'object' || platform.settings === null) return 'it has no `settings`';
  if (typeof platform.setup?.firstContact !== 'function') return 'it has no `setup`';
  return typeof platform.open === 'function' ? undefined : 'it has no function `open`';
}

function namedLogger(logger: Logger, plugin: string): Logger {
  return {
    debug: (message, fields) => logger.debug(message, { plugin, ...fields }),
    info: (message, fields) => logger.info(message, { plugin, ...fields }),
    warn: (message, fields) => logger.warn(message, { plugin, ...fields }),
    error: (message, fields, cause) => logger.error(message, { plugin, ...fields }, cause),
  };
}
