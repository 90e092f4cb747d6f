import type { Settings } from '../config/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { builtInTools } from '../toolbox/index.ts';
import {
  createAllTools,
  inspectTools,
  type NameList,
  resolveNames,
  type Tool,
  type ToolChoice,
  type ToolSource,
  whyNotChosen,
} from '../tools/index.ts';
import { chosenTools, permittedTools } from './build-tools.ts';
import { cachedSources } from './connect-servers.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import type { Services } from './services.ts';
import type { ToolSwitches } from './session-choices.ts';
import { describeToolServices } from './tool-services.ts';

type Inspected = {
  only?: NameList | undefined;
  chosen: ToolChoice;
  permitted?: ToolChoice;
  sources: readonly ToolSource[];
  hasAuxiliary?: boolean;
};

/** The tools of this installation with the current settings. `only` restricts the report to some tool sets or tools. */
export async function inspectChosenTools(settings: Settings, only?: NameList): ReturnType<typeof inspectTools> {
  // Uses the cached tools of servers and plugins, so that no server is connected and no plugin is loaded.
  const sources = await cachedSources(settings, process.cwd());
  return inspect(settings, { only, chosen: chosenTools(settings), sources });
}

async function inspect(settings: Settings, inspected: Inspected): ReturnType<typeof inspectTools> {
  const { only, chosen, permitted = {}, sources, hasAuxiliary } = inspected;
  // Build the tools as a session does: if two tools have the same name, only one of them is used.
  const { replaceableTools: replaceable = [] } = settings;
  const { current, isBuiltIn } = createAllTools({
    builtIn: builtInTools(),
    sources,
    replaceable,
    logger: silentLogger,
  });
  const tools = [...current().values()];
  const needs = { variables: settings.variables, services: describeToolServices(settings, hasAuxiliary) };
  const [whyNot, whyForbidden] = [whyNotChosen(chosen, tools), whyNotChosen(permitted, tools)];
  const report = await inspectTools(
    tools,
    (tool) => whyNot(tool, isBuiltIn(tool)) ?? whyForbidden(tool, isBuiltIn(tool)),
    needs,
    isBuiltIn,
  );
  if (only === undefined) return report;
  const wanted = resolveNames(only, tools);
  const isWanted = (tool: Tool) => wanted(tool, isBuiltIn(tool));
  return { ...report, tools: report.tools.filter((_, index) => isWanted(tools[index] as Tool)) };
}

/** The tools as one session has them, with the current tools of its servers and plugins. */
export function inspectSessionTools(
  services: Services,
  blueprint: AgentBlueprint,
  switched: ToolSwitches,
): ReturnType<typeof inspectTools> {
  const { settings } = blueprint;
  return inspect(settings, {
    chosen: chosenTools(settings, blueprint, switched),
    permitted: permittedTools(blueprint),
    sources: [...services.toolSources(), ...services.plugins.toolSources()],
    hasAuxiliary: services.auxiliary !== undefined,
  });
}
