import type { Skill } from '../../../contracts/index.ts';
import { shorten } from '../../../util/index.ts';
import { formatPlugins } from '../../text/plugins-text.ts';
import { printable } from '../../text/style.ts';
import { formatPairs } from '../../text/table.ts';
import type { PickItem } from '../pick-request.ts';
import type { SlashContext } from '../slash-context.ts';

/** Presets of surfaces are not listed, because they repeat the same tools. */
const PRESET = /^hermes-/;
/** Toolsets of MCP servers and plugins. */
const EXTERNAL = /^(mcp|plugin)-/;
const SWITCH = /^(on|off)\s+(\S+)$/i;
const USAGE = 'Use /toolsets on NAME or /toolsets off NAME to enable or disable a tool set for this session.\n';

/** `/tools`: lists the available and the missing tools. */
export async function toolsCommand({ session, print }: SlashContext): Promise<void> {
  const { tools } = await session.opened().inspectTools();
  const on = tools.filter(({ state }) => state === 'on');
  const off = tools.filter(({ state }) => state !== 'on');
  const built = on.filter(({ toolset }) => !EXTERNAL.test(toolset)).map(({ name }) => name);
  print(`${on.length} tools: ${built.join(', ')}\n`);
  const brought = Map.groupBy(on, ({ toolset }) => toolset);
  for (const [toolset, own] of brought)
    if (EXTERNAL.test(toolset)) print(printable(`${toolset}: ${own.map(({ name }) => name).join(', ')}\n`));
  if (off.length > 0) print(formatPairs(off.map(({ name, state, reason }) => [`- ${name}`, reason ?? state])));
}

/** `/toolsets` lists toolsets; `/toolsets on NAME` and `off NAME` switch one for this session. */
export async function toolsetsCommand(context: SlashContext, argument: string): Promise<void> {
  const { session, print } = context;
  const { sets } = await session.opened().inspectTools();
  const known = sets.filter(({ name }) => !PRESET.test(name));
  if (argument === '')
    return print(
      formatPairs(known.map(({ name, state, tools }) => [`${name} (${state})`, printable(tools.join(', '))])) + USAGE,
    );
  const [, way, name = ''] = SWITCH.exec(argument) ?? [];
  const set = known.find((one) => one.name === name);
  if (way === undefined || set === undefined)
    return print(way === undefined ? USAGE : `Unknown tool set "${printable(name)}". Use /toolsets to list all.\n`);
  await switchSet(context, way.toLowerCase() === 'on', name);
}

/** The tools of an agent never change, so the session is reopened. */
async function switchSet({ session, print }: SlashContext, on: boolean, name: string): Promise<void> {
  const { choices } = session.opened();
  const without = (names: readonly string[]) => names.filter((one) => one !== name);
  const before = choices.toolsets;
  choices.toolsets = on
    ? { on: [...without(before.on), name], off: without(before.off) }
    : { on: without(before.on), off: [...without(before.off), name] };
  const { sets } = await session.opened().inspectTools();
  const state = sets.find((one) => one.name === name)?.state;
  if (on && state === 'off') {
    choices.toolsets = before;
    return print(
      `${name} is disabled by agent.disabled_toolsets in config.yaml. Enable it with \`hermes tools enable ${name}\`.\n`,
    );
  }
  await session.reopen();
  await session.opened().saveSetup();
  const now = `${name} is ${state === 'partly on' ? 'partly on' : on ? 'on' : 'off'} in this session.`;
  print(`${now} The tools changed, so the next request misses the prompt cache.\n`);
}

const MAX_NAME_WIDTH = 24;
const SHOWN = 80;

/** `/skills`: lists the skills by category. In a terminal, the selected one is put into the input line. */
export async function skillsCommand({ runtime, print, terminal, turns }: SlashContext): Promise<void> {
  const { skills, faults } = await runtime.skills().inventory();
  if (skills.length === 0) return print('No skills are installed. Install some with `hermes skills install`.\n');
  if (terminal?.pick !== undefined) {
    const invalid = faults.length === 0 ? '' : ` (${faults.length} invalid: hermes skills list)`;
    const chosen = await terminal.pick({ title: `Run a skill${invalid}`, items: skills.map(toPickItem) });
    if (chosen !== undefined) turns.restoreInput(`/${chosen} `);
    return;
  }
  const width = Math.min(MAX_NAME_WIDTH, Math.max(...skills.map(({ name }) => name.length)));
  let category: string | undefined;
  const lines = skills.flatMap((skill) => {
    const heading = skill.category === category ? [] : [`${printable(skill.category)}:`];
    category = skill.category;
    return [...heading, `  /${skill.name.padEnd(width)}  ${printable(shorten(skill.description, SHOWN))}`];
  });
  const broken =
    faults.length === 0 ? [] : [`Invalid skills: ${faults.length}. Run \`hermes skills list\` for details.`];
  print(`${[...lines, ...broken].join('\n')}\n`);
}

function toPickItem({ name, category, description }: Skill): PickItem {
  return { value: name, label: `/${name}`, about: description, note: category, detail: description };
}

/** `/plugins`: lists the plugins and their errors. */
export async function pluginsCommand({ runtime, print, style }: SlashContext): Promise<void> {
  const { plugins } = runtime;
  await plugins.whenLoaded();
  const all = plugins.list();
  print(
    all.length === 0
      ? 'No plugins are enabled. Run `hermes plugins list` to see what is installed.\n'
      : formatPlugins(all, style),
  );
  const rest = plugins
    .warnings()
    .filter((warning) => !all.some(({ fault }) => fault && warning.includes(fault.reason)));
  for (const warning of rest) print(`${style.yellow('!')} ${printable(warning)}\n`);
}
