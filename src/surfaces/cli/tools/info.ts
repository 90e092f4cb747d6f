import { loadSettings, resolveHome } from '../../../config/index.ts';
import { inspectChosenTools } from '../../../runtime/index.ts';
import type { SetReport, ToolReport } from '../../../tools/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatPairs } from '../../text/table.ts';
import { writeJson } from '../sessions/write-json.ts';

/** All about one tool, or what a set holds. */
export async function showTool(name: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { tools, sets } = await inspectChosenTools(settings, { names: [name], place: 'hermes tools info' });
  // Some tools are the only ones of a set with their name; the tool is then the better answer.
  const tool = tools.find((one) => one.name === name);
  const set = sets.find((one) => one.name === name);
  if (json) writeJson(io.stdout, tool ?? set ?? { name, tools: tools.map((one) => one.name) });
  else if (tool) io.stdout.write(formatTool(tool, io.stdout.columns));
  else io.stdout.write(formatSet(name, set, tools));
  return 0;
}

function formatTool(tool: ToolReport, columns: number | undefined): string {
  const { name, toolset, state, reason, concurrency, definition, ...traits } = tool;
  const flags = Object.entries(traits).filter(([key, value]) => value === true && key !== 'emoji');
  return `${formatPairs(
    [
      ['tool', name],
      ['tool set', toolset],
      ['state', reason === undefined ? state : `${state}: ${reason}`],
      ['runs', CONCURRENCY[concurrency]],
      ...(flags.length > 0 ? [['traits', flags.map(([key]) => TRAITS[key] ?? key).join(', ')] as const] : []),
      ...(traits.asksBefore ? [['asks before', traits.asksBefore] as const] : []),
      ...(traits.requiredVariables ? [['needs', traits.requiredVariables.join(', ')] as const] : []),
      ['tells models', definition.description],
    ],
    columns,
  )}\n${JSON.stringify(definition.parameters, undefined, 2)}\n`;
}

const CONCURRENCY: Readonly<Record<ToolReport['concurrency'], string>> = {
  parallel: 'beside others',
  paths: 'beside calls on other paths',
  barrier: 'alone',
  'by arguments': 'as its arguments allow',
};

const TRAITS: Readonly<Record<string, string>> = {
  readOnly: 'only reads',
  asksThePerson: 'asks the person',
  freeIteration: 'costs no step',
  outsideText: 'brings in text from outside',
  onDemand: 'found by searching',
};

function formatSet(name: string, set: SetReport | undefined, tools: readonly ToolReport[]): string {
  const rows = tools.map((tool) => [tool.name, tool.reason ?? tool.state] as const);
  const words = set?.description ? `: ${set.description}` : '';
  return `${name}${words}\n${rows.length === 0 ? 'None of its tools is there.\n' : formatPairs(rows)}`;
}
