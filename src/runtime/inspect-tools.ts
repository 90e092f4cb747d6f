import type { Settings } from '../config/index.ts';
import { builtInTools } from '../toolbox/index.ts';
import { inspectTools, type NameList, resolveNames, whyNotChosen } from '../tools/index.ts';
import { chosenTools } from './build-tools.ts';
import { describeToolServices } from './tool-services.ts';

/** The tools of this installation as its settings have them. `only` names the sets or tools that are of interest. */
export async function inspectChosenTools(settings: Settings, only?: NameList): ReturnType<typeof inspectTools> {
  const tools = builtInTools();
  const needs = { variables: settings.variables, services: describeToolServices(settings) };
  const report = await inspectTools(tools, whyNotChosen(chosenTools(settings), tools), needs);
  if (only === undefined) return report;
  const wanted = resolveNames(only, tools);
  return { ...report, tools: report.tools.filter((_, index) => wanted(tools[index] as (typeof tools)[number], true)) };
}
