import type { Settings } from '../config/index.ts';
import { builtInTools } from '../toolbox/index.ts';
import { inspectTools, type NameList, type ToolChoice, resolveNames, whyNotChosen } from '../tools/index.ts';
import { chosenTools } from './build-tools.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import type { SessionChoices } from './session-choices.ts';
import { describeToolServices } from './tool-services.ts';

/** The tools of this installation as its settings have them. `only` names the sets or tools that are of interest. */
export async function inspectChosenTools(
  settings: Settings,
  only?: NameList,
  chosen: ToolChoice = chosenTools(settings),
): ReturnType<typeof inspectTools> {
  const tools = builtInTools();
  const needs = { variables: settings.variables, services: describeToolServices(settings) };
  const report = await inspectTools(tools, whyNotChosen(chosen, tools), needs);
  if (only === undefined) return report;
  const wanted = resolveNames(only, tools);
  return { ...report, tools: report.tools.filter((_, index) => wanted(tools[index] as (typeof tools)[number], true)) };
}

/** The same as one session has them. */
export function inspectSessionTools(
  { settings, toolsets }: Pick<RuntimeOptions, 'settings' | 'toolsets'>,
  choices: SessionChoices,
): ReturnType<typeof inspectTools> {
  return inspectChosenTools(settings, undefined, chosenTools(settings, toolsets, choices.toolsets));
}
