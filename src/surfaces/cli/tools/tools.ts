import {
  type ConfigChange,
  homePaths,
  loadSettings,
  resolveHome,
  type Settings,
  updateConfig,
} from '../../../config/index.ts';
import { inspectChosenTools, warnOfUnknownTools } from '../../../runtime/index.ts';
import type { SetReport, ToolReport } from '../../../tools/index.ts';
import { wrapWithIndent, formatPairs } from '../../text/table.ts';
import type { CliIo } from '../cli-io.ts';
import { writeWarning } from '../report-error.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';

/** The names of presets of surfaces. They repeat the tools of other tool sets, so they are not listed. */
const PRESET = /^hermes-/;

export async function listTools({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const report = await inspectChosenTools(settings);
  const chooser = { settings, source: 'cli', surface: 'cli' };
  for (const warning of warnOfUnknownTools(chooser)) writeWarning(io, warning);
  if (json) {
    const tools = report.tools.map(({ name, toolset, state, reason }) => ({ name, toolset, state, reason }));
    writeJson(io.stdout, { sets: report.sets, tools });
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const sets = report.sets.filter(({ name }) => !PRESET.test(name));
  const width = Math.max(...sets.map(({ name }) => name.length));
  for (const { name, tools, state } of sets) {
    io.stdout.write(
      `${stateMark(state, style)} ${name.padEnd(width)}  ${wrapWithIndent(printable(tools.join(', ')), width + 4, io.stdout.columns)}\n`,
    );
  }
  const presets = report.sets.filter(({ name }) => PRESET.test(name)).map(({ name }) => name);
  io.stdout.write(`\nPresets  ${wrapWithIndent(presets.join(', '), 'Presets  '.length, io.stdout.columns)}\n`);
  for (const { name, state, reason } of report.tools.filter((tool) => tool.state !== 'on')) {
    io.stdout.write(`${stateMark(state, style)} ${name}: ${printable(reason ?? state)}\n`);
  }
  return 0;
}

/** Shows the details of a tool, or the tools of a tool set. */
export async function showTool(name: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { tools, sets } = await inspectChosenTools(settings, { names: [name], location: '' });
  // A tool and its tool set may have the same name; in that case the tool is shown.
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
      ['description', definition.description],
    ],
    columns,
  )}\n${JSON.stringify(definition.parameters, undefined, 2)}\n`;
}

const CONCURRENCY: Readonly<Record<ToolReport['concurrency'], string>> = {
  parallel: 'in parallel',
  paths: 'in parallel with calls on other paths',
  barrier: 'alone',
  'by arguments': 'depends on the arguments',
};

const TRAITS: Readonly<Record<string, string>> = {
  readOnly: 'read-only',
  asksThePerson: 'asks the user',
  freeIteration: 'does not count as a step',
  outsideText: 'returns untrusted text',
  onDemand: 'available through tool_search',
};

function formatSet(name: string, set: SetReport | undefined, tools: readonly ToolReport[]): string {
  const rows = tools.map((tool) => [tool.name, tool.reason ?? tool.state] as const);
  const words = set?.description ? `: ${set.description}` : '';
  return `${name}${words}\n${rows.length === 0 ? 'None of its tools is available.\n' : formatPairs(rows)}`;
}

const DISABLED = ['agent', 'disabled_toolsets'] as const;
const ENABLED = ['toolsets'] as const;

/** Enables or disables tools for new sessions and prints the result. */
export async function changeTools(
  change: 'enable' | 'disable',
  names: readonly string[],
  { json }: { json?: boolean },
  io: CliIo,
): Promise<number> {
  const home = resolveHome(io.env);
  const load = () => loadSettings({ home, env: io.env });
  const asked = { names, location: '' };
  // Unknown names are rejected before anything is written.
  const settings = await load();
  const before = await inspectChosenTools(settings, asked);
  await updateConfig(home, async () =>
    change === 'disable' ? disabling(names) : enabling(names, await load(), before.tools),
  );
  const { tools } = await inspectChosenTools(await load(), asked);
  if (json) writeJson(io.stdout, { tools: tools.map(({ name, state, reason }) => ({ name, state, reason })) });
  else writeReports(tools, home, io);
  const wanted = change === 'enable' ? 'off' : 'on';
  return tools.some(({ state }) => state === wanted) ? 1 : 0;
}

function disabling(names: readonly string[]): ConfigChange[] {
  return names.map((name) => ({ path: DISABLED, add: name }));
}

/** Adds to the list of enabled tool sets only if there is one, because without it all are enabled. */
function enabling(names: readonly string[], { toolsets }: Settings, before: readonly ToolReport[]): ConfigChange[] {
  const missing = toolsets === undefined ? [] : names.filter((name) => !toolsets.includes(name));
  const needed = before.some(({ state }) => state === 'off') ? missing : [];
  return [
    ...names.map((name) => ({ path: DISABLED, remove: name })),
    ...needed.map((name) => ({ path: ENABLED, add: name })),
  ];
}

function writeReports(tools: readonly ToolReport[], home: string, io: CliIo): void {
  const style = createStyle(io.stdout, io.env);
  for (const { name, state, reason } of tools) {
    io.stdout.write(`${stateMark(state, style)} ${name}${reason === undefined ? '' : `: ${printable(reason)}`}\n`);
  }
  io.stdout.write(`Saved in ${printable(homePaths(home).configFile)}; this applies to new sessions.\n`);
}

/** A one-character symbol for the state. */
function stateMark(state: SetReport['state'], style: Style): string {
  if (state === 'on') return style.green('✓');
  if (state === 'partly on') return style.yellow('~');
  return state === 'off' ? style.dim('–') : style.red('✗');
}
