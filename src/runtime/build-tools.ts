import type { AskReviewer } from '../approvals/index.ts';
import type { JsonObject } from '../base/index.ts';
import { homePaths, type Settings } from '../config/index.ts';
import type {
  Environment,
  Hooks,
  Logger,
  ProcessTable,
  SessionSetup,
  ToolDefinition,
  ToolServices,
  ToolSet,
} from '../contracts/index.ts';
import { createDirectoryHints } from '../prompt/index.ts';
import { createScanCache, type PassageReview } from '../scanning/index.ts';
import { builtInTools } from '../toolbox/index.ts';
import {
  createToolSet,
  type NameList,
  createPassageResolver,
  selectTools,
  findUnknownNames,
  type ToolCatalogOptions,
  type ToolChoice,
  type Tool,
  type ToolSelection,
  type ToolSource,
} from '../tools/index.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import { buildApprovalGuard } from './approval-guard.ts';
import { createSecretsWatch } from './secrets-watch.ts';
import type { SessionChoices, ToolSwitches } from './session-choices.ts';

type ToolBlueprint = Pick<
  AgentBlueprint,
  | 'settings'
  | 'source'
  | 'surface'
  | 'attended'
  | 'toolsets'
  | 'allowedTools'
  | 'disallowedTools'
  | 'addedFolders'
  | 'subagent'
  | 'restrictGuard'
>;

export type ToolParts = {
  builtIn: SharedTools;
  environment: Environment;
  logger: Logger;
  processes: ProcessTable;
  services: ToolServices;
  /** Tool sources besides the built-in tools. */
  sources: readonly ToolSource[];
  /** Plugin hooks; they run before our own. */
  pluginHooks?: Iterable<Hooks>;
  hooks?: readonly Hooks[];
  choices: SessionChoices;
  dataFolder: string;
  /** The tools to offer again. */
  storedOffer?: SessionSetup | undefined;
  askReviewer?: AskReviewer | undefined;
  /** Decides about doubtful passages of context files; without it only the classifier does. */
  reviewPassages?: PassageReview | undefined;
  /** Called with each rule that the user allows permanently. */
  onAlways?(rule: string): void;
};

/** Creates the tools of one agent with its environment and approval guard. */
export function buildTools(blueprint: ToolBlueprint, parts: ToolParts): ToolSet {
  const { settings, subagent } = blueprint;
  const { builtIn: ours, environment, logger, processes, services, sources, choices, askReviewer, onAlways } = parts;
  const { tools } = ours;
  const { scanCacheFolder } = homePaths(settings.home);
  const chosen = selectTools(chosenTools(settings, blueprint, choices.toolsets), tools);
  const permitted = selectTools(permittedTools(blueprint), tools);
  const allowed = subagent && selectForSubagent(subagent.toolsets, tools);
  const scan = createScanCache(scanCacheFolder, parts.reviewPassages);
  const directoryHints = createDirectoryHints({ environment, logger, mode: settings.contextFiles, scan });
  return createToolSet({
    ...ours,
    tools: withCommandTimeout(tools, settings.terminal.timeoutSeconds),
    environment,
    logger,
    processes,
    services,
    sources,
    storedOffer: parts.storedOffer,
    selection: (tool, builtIn) =>
      chosen(tool, builtIn) && permitted(tool, builtIn) && (allowed?.(tool, builtIn) ?? true),
    replaceable: settings.replaceableTools ?? [],
    variables: settings.variables,
    hooks: concatHooks(parts.pluginHooks ?? [], [
      directoryHints,
      createSecretsWatch(settings.home),
      ...(parts.hooks ?? []),
    ]),
    approvals: buildApprovalGuard({
      ...blueprint,
      isYolo: () => choices.yolo,
      isPlan: () => choices.plan,
      askReviewer,
      onAlways,
    }),
    spillFolder: homePaths(parts.dataFolder).spillFolder,
  });
}

/**
 * Tools that subagents do not get: they cannot delegate, ask the user, change memory, or start anything that outlives
 * their task.
 */
const WITHHELD_FROM_SUBAGENTS = ['delegate_task', 'clarify', 'memory', 'send_message', 'cronjob'];

/** Restricts the parent's tools to those of a subagent. */
function selectForSubagent(toolsets: readonly string[] | undefined, known: readonly Tool[]): ToolSelection {
  return selectTools(
    {
      ...(toolsets !== undefined && { enabled: { names: toolsets, location: 'toolsets' } }),
      disabled: { names: WITHHELD_FROM_SUBAGENTS, location: 'delegation' },
    },
    known,
  );
}

/**
 * Our own hooks run last, so that other hooks cannot change what ours add, and calls that another hook blocks do not
 * reach ours.
 */
function concatHooks(others: Iterable<Hooks>, own: readonly Hooks[]): Iterable<Hooks> {
  return {
    *[Symbol.iterator]() {
      yield* others;
      yield* own;
    },
  };
}

/** The longest timeout of a command that the terminal tool accepts. */
const MAX_COMMAND_SECONDS = 600;

/** `terminal.timeout` replaces the default of the parameter, so that models see the value that applies. */
function withCommandTimeout(tools: readonly Tool[], seconds: number | undefined): readonly Tool[] {
  if (seconds === undefined) return tools;
  const timeout = Math.min(seconds, MAX_COMMAND_SECONDS);
  return tools.map((tool) => {
    if (tool.name !== 'terminal') return tool;
    return {
      ...tool,
      definition: async () => withDefault(await tool.definition(), 'timeout', timeout),
      async load() {
        const handler = await tool.load();
        // Some models send `null` for a parameter that they do not want to set.
        const parse: typeof handler.parse = (args) =>
          handler.parse((args['timeout'] ?? undefined) === undefined ? { ...args, timeout } : args);
        return { ...handler, parse };
      },
    };
  });
}

function withDefault(definition: ToolDefinition, parameter: string, value: number): ToolDefinition {
  const properties = definition.parameters['properties'] as JsonObject;
  const changed = { ...(properties[parameter] as JsonObject), default: value };
  return {
    ...definition,
    parameters: { ...definition.parameters, properties: { ...properties, [parameter]: changed } },
  };
}

type Chooser = Pick<AgentBlueprint, 'toolsets' | 'source' | 'surface'>;

/**
 * `--toolsets` replaces the lists in the configuration file, and there the list of the platform the general one. Tool
 * sets disabled in the file stay disabled.
 */
export function chosenTools(
  settings: Settings,
  chooser?: Chooser,
  switched: ToolSwitches = { on: [], off: [] },
): { enabled?: NameList; disabled?: NameList } {
  const enabled =
    chooser?.toolsets === undefined
      ? configuredToolsets(settings, chooser)
      : { names: chooser.toolsets, location: '--toolsets' };
  const names = [...(settings.disabledToolsets ?? []), ...switched.off];
  const location = `${homePaths(settings.home).configFile}: agent.disabled_toolsets`;
  return {
    ...(enabled !== undefined && { enabled: { ...enabled, names: [...enabled.names, ...switched.on] } }),
    ...(names.length > 0 && { disabled: { names, location, ignoresUnknown: true } }),
  };
}

/** The list of the platform, or else the general list; undefined for all tools. */
function configuredToolsets(
  { home, toolsets, platformToolsets = {} }: Settings,
  chooser?: Chooser,
): NameList | undefined {
  const { configFile } = homePaths(home);
  const platform = [chooser?.source, chooser?.surface.replaceAll('-', '_')].find(
    (name) => name !== undefined && Object.hasOwn(platformToolsets, name),
  );
  const listed = platform === undefined ? undefined : platformToolsets[platform];
  if (listed !== undefined)
    return { names: listed, location: `${configFile}: platform_toolsets.${platform}`, ignoresUnknown: true };
  return toolsets && { names: toolsets, location: `${configFile}: toolsets`, ignoresUnknown: true };
}

/** Warnings about names in the configuration that are neither a tool set nor a tool. */
export function warnOfUnknownTools(blueprint: Chooser & Pick<AgentBlueprint, 'settings'>): string[] {
  const { enabled, disabled } = chosenTools(blueprint.settings, blueprint);
  return [enabled, disabled].flatMap((list) => {
    if (list?.ignoresUnknown !== true) return [];
    const unknown = findUnknownNames(list, builtInTools());
    if (unknown.length === 0) return [];
    const [isOne, named] = [unknown.length === 1, unknown.map((name) => JSON.stringify(name)).join(', ')];
    return [
      `${list.location}: ${named} ${isOne ? 'is not a known tool set or tool and is' : 'are not known tool sets or tools and are'} ignored. ` +
        '`hermes tools list` shows all of them.',
    ];
  });
}

/** What `--allowed-tools` and `--disallowed-tools` leave of the enabled tools. They enable nothing. */
export function permittedTools({
  allowedTools: allowed,
  disallowedTools: disallowed,
}: Pick<AgentBlueprint, 'allowedTools' | 'disallowedTools'>): ToolChoice {
  return {
    ...(allowed && { enabled: { names: allowed, location: '--allowed-tools' } }),
    ...(disallowed && { disabled: { names: disallowed, location: '--disallowed-tools' } }),
  };
}

/** The built-in tools, shared by all agents of a process because they hold no agent state. */
export type SharedTools = Required<Pick<ToolCatalogOptions, 'tools' | 'resolvePassages'>>;

export function shareTools(): SharedTools {
  return { tools: builtInTools(), resolvePassages: createPassageResolver() };
}
