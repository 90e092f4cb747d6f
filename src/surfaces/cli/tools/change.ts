import {
  type ConfigChange,
  homePaths,
  loadSettings,
  resolveHome,
  type Settings,
  updateConfig,
} from '../../../config/index.ts';
import { inspectChosenTools } from '../../../runtime/index.ts';
import type { ToolReport } from '../../../tools/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable } from '../style.ts';
import { stateMark } from './state-mark.ts';

const DISABLED = ['agent', 'disabled_toolsets'] as const;
const ENABLED = ['toolsets'] as const;

/** Switches tools on or off for all later sessions, and says what came of it. */
export async function changeTools(
  change: 'enable' | 'disable',
  names: readonly string[],
  { json }: { json?: boolean },
  io: CliIo,
): Promise<number> {
  const home = resolveHome(io.env);
  const load = () => loadSettings({ home, env: io.env });
  const asked = { names, place: `hermes tools ${change}` };
  // A name that nobody knows is refused before anything is written.
  const settings = await load();
  const before = await inspectChosenTools(settings, asked);
  await updateConfig(home, change === 'disable' ? disabling(names) : enabling(names, settings, before.tools));
  const { tools } = await inspectChosenTools(await load(), asked);
  if (json) writeJson(io.stdout, { tools: tools.map(({ name, state, reason }) => ({ name, state, reason })) });
  else report(tools, home, io);
  const wanted = change === 'enable' ? 'off' : 'on';
  return tools.some(({ state }) => state === wanted) ? 1 : 0;
}

function disabling(names: readonly string[]): ConfigChange[] {
  return names.map((name) => ({ path: DISABLED, add: name }));
}

/** A list of what is wanted is only added to where there is one: without it, everything is. */
function enabling(names: readonly string[], { toolsets }: Settings, before: readonly ToolReport[]): ConfigChange[] {
  const missing = toolsets === undefined ? [] : names.filter((name) => !toolsets.includes(name));
  const needed = before.some(({ state }) => state === 'off') ? missing : [];
  return [
    ...names.map((name) => ({ path: DISABLED, remove: name })),
    ...needed.map((name) => ({ path: ENABLED, add: name })),
  ];
}

function report(tools: readonly ToolReport[], home: string, io: CliIo): void {
  const style = createStyle(io.stdout, io.env);
  for (const { name, state, reason } of tools) {
    io.stdout.write(`${stateMark(state, style)} ${name}${reason === undefined ? '' : `: ${showable(reason)}`}\n`);
  }
  io.stdout.write(`Saved in ${showable(homePaths(home).configFile)}; it holds for new sessions.\n`);
}
