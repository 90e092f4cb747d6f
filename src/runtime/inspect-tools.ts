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
import { chosenTools } from './build-tools.ts';
import { knownSources } from './connect-servers.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import type { Services } from './services.ts';
import type { ToolSwitches } from './session-choices.ts';
import { describeToolServices } from './tool-services.ts';

type Inspected = {
  only?: NameList | undefined;
  chosen: ToolChoice;
  sources: readonly ToolSource[];
  hasAuxiliary?: boolean;
};

/** The tools of this installation as its settings have them. `only` names the sets or tools that are of interest. */
export async function inspectChosenTools(settings: Settings, only?: NameList): ReturnType<typeof inspectTools> {
  // Servers and plugins as they were the last time: nothing is connected to or loaded for a description.
  const sources = await knownSources(settings, process.cwd());
  return inspect(settings, { only, chosen: chosenTools(settings), sources });
}

async function inspect(settings: Settings, inspected: Inspected): ReturnType<typeof inspectTools> {
  const { only, chosen, sources, hasAuxiliary } = inspected;
  // Of two with one name a session has one.
  const { replaceableTools: replaceable = [] } = settings;
  const { current, isBuiltIn } = createAllTools({
    builtIn: builtInTools(),
    sources,
    replaceable,
    logger: silentLogger,
  });
  const tools = [...current().values()];
  const needs = { variables: settings.variables, services: describeToolServices(settings, hasAuxiliary) };
  const whyNot = whyNotChosen(chosen, tools);
  const report = await inspectTools(tools, (tool) => whyNot(tool, isBuiltIn(tool)), needs, isBuiltIn);
  if (only === undefined) return report;
  const wanted = resolveNames(only, tools);
  const isWanted = (tool: Tool) => wanted(tool, isBuiltIn(tool));
  return { ...report, tools: report.tools.filter((_, index) => isWanted(tools[index] as Tool)) };
}

/** The same as one session has them, with what its servers and plugins have now. */
export function inspectSessionTools(
  services: Services,
  { settings, toolsets }: AgentBlueprint,
  switched: ToolSwitches,
): ReturnType<typeof inspectTools> {
  return inspect(settings, {
    chosen: chosenTools(settings, toolsets, switched),
    sources: [...services.toolSources(), ...services.plugins.toolSources()],
    hasAuxiliary: services.auxiliary !== undefined,
  });
}
