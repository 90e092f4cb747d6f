import type { AskReviewer } from '../approvals/index.ts';
import { homePaths, type Settings } from '../config/index.ts';
import type {
  Environment,
  Hooks,
  Logger,
  ProcessTable,
  SessionSetup,
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
  const chosen = selectTools(chosenTools(settings, blueprint.toolsets, choices.toolsets), tools);
  const permitted = selectTools(permittedTools(blueprint), tools);
  const allowed = subagent && selectForSubagent(subagent.toolsets, tools);
  const scan = createScanCache(scanCacheFolder, parts.reviewPassages);
  const directoryHints = createDirectoryHints({ environment, logger, mode: settings.contextFiles, scan });
  return createToolSet({
    ...ours,
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

/** `--toolsets` replaces the list in the configuration file; tool sets disabled there stay disabled. */
export function chosenTools(
  settings: Settings,
  asked?: readonly string[],
  switched: ToolSwitches = { on: [], off: [] },
): { enabled?: NameList; disabled?: NameList } {
  const { configFile } = homePaths(settings.home);
  const { toolsets, disabledToolsets } = settings;
  const [enabled, enabledAt] = asked === undefined ? [toolsets, `${configFile}: toolsets`] : [asked, '--toolsets'];
  const disabled = [...(disabledToolsets ?? []), ...switched.off];
  return {
    ...(enabled !== undefined && { enabled: { names: [...enabled, ...switched.on], location: enabledAt } }),
    ...(disabled.length > 0 && { disabled: { names: disabled, location: `${configFile}: agent.disabled_toolsets` } }),
  };
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
