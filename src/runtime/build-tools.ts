import { homePaths, type Settings } from '../config/index.ts';
import type { Environment, Hooks, Logger, ProcessTable, ToolServices, ToolSet } from '../contracts/index.ts';
import { createDirectoryHints } from '../prompt/index.ts';
import { scanKnownTexts } from '../scanning/index.ts';
import { createToolSet, type NameList, selectTools, type ToolSource } from '../tools/index.ts';
import type { SharedTools } from './shared-tools.ts';
import type { AllowList } from './allow-list.ts';
import { buildApprovalGuard } from './approval-guard.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import type { SubagentOptions } from './delegation/delegation-parts.ts';
import { selectForSubagent } from './delegation/subagent-tools.ts';
import type { RuntimePlugins } from './plugins/open-plugins.ts';
import type { SessionChoices, ToolSwitches } from './session-choices.ts';

export type ToolParts = {
  builtIn: SharedTools;
  environment: Environment;
  logger: Logger;
  allowList: AllowList;
  processes: ProcessTable;
  services: ToolServices;
  /** Around every call, besides our own. */
  hooks?: readonly Hooks[];
  /** Those of a memory provider. */
  memoryTools?: readonly ToolSource[];
  /** What plugins bring. */
  plugins?: Pick<RuntimePlugins, 'toolSources' | 'toolHooks'>;
  /** What the person chose for the session. */
  choices: SessionChoices;
  /** They are those of a subagent. */
  subagent?: Pick<SubagentOptions, 'toolsets'> | undefined;
};

/** The tools of one agent, in its environment, behind the approvals the person wants. */
export function buildTools(
  options: RuntimeOptions,
  { builtIn: ours, allowList, memoryTools = [], choices, subagent, plugins, ...parts }: ToolParts,
): ToolSet {
  const { settings } = options;
  const { tools } = ours;
  const { cleanTextsFolder } = homePaths(settings.home);
  const { spillFolder } = homePaths(options.dataFolder ?? settings.home);
  const chosen = selectTools(chosenTools(settings, options.toolsets, choices.toolsets), tools);
  const allowed = subagent && selectForSubagent(subagent.toolsets, tools);
  return createToolSet({
    ...ours,
    sources: [...(options.toolSources ?? []), ...memoryTools, ...(plugins?.toolSources() ?? [])],
    selection: (tool, builtIn) => chosen(tool, builtIn) && (allowed?.(tool, builtIn) ?? true),
    replaceable: settings.replaceableTools ?? [],
    variables: settings.variables,
    ...parts,
    hooks: inOrder(plugins?.toolHooks() ?? [], [
      createDirectoryHints({ ...parts, scan: scanKnownTexts(cleanTextsFolder) }),
      ...(parts.hooks ?? []),
    ]),
    approvals: buildApprovalGuard({ ...options, isYolo: () => choices.yolo, onAlways: allowList.add }),
    spillFolder,
  });
}

/** Our own come last: what they add stays where it was put, and a call that is blocked costs them nothing. */
function inOrder(others: Iterable<Hooks>, own: readonly Hooks[]): Iterable<Hooks> {
  return {
    *[Symbol.iterator]() {
      yield* others;
      yield* own;
    },
  };
}

/** What was asked for on the command line replaces the list of the file; what the file forbids stays forbidden. */
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
    ...(enabled !== undefined && { enabled: { names: [...enabled, ...switched.on], place: enabledAt } }),
    ...(disabled.length > 0 && { disabled: { names: disabled, place: `${configFile}: agent.disabled_toolsets` } }),
  };
}
