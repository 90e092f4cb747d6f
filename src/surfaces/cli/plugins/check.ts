import { silentLogger } from '../../../contracts/index.ts';
import { type LoadedPlugin, openPluginSet } from '../../../plugins/index.ts';
import { formatPlugins } from '../../text/plugins-text.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable } from '../style.ts';
import { toRecord } from './list.ts';

/** Loads the enabled plugins as a chat would. The exit code is 1 if one is skipped or a registration is rejected. */
export async function checkPlugins({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { home, plugins: settings, variables } = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { workingDirectory } = io;
  const set = await openPluginSet({
    home,
    settings,
    variables,
    workingDirectory,
    hooks: [],
    passedVariables: [],
    logger: silentLogger,
  });
  await set.whenLoaded();
  set.close();
  const plugins = set.plugins();
  const bad = plugins.some(({ state, registrations }) => state !== 'on' || (registrations?.rejected.length ?? 0) > 0);
  if (json) writeJson(io.stdout, { plugins: plugins.map(toChecked) });
  else io.stdout.write(plugins.length === 0 ? 'No plugin is enabled.\n' : describe(plugins, io));
  return bad ? 1 : 0;
}

function registrationsOf({ registrations }: LoadedPlugin): string[] {
  if (registrations === undefined) return [];
  const { tools, hooks, commands, contextEngines, memoryProviders, platforms } = registrations;
  return [
    ...[...tools.keys()].map((name) => `tool ${name}`),
    ...hooks.map(({ event }) => `hook ${event}`),
    ...[...commands.keys()].map((name) => `command /${name}`),
    ...[...contextEngines.keys()].map((name) => `context engine ${name}`),
    ...[...memoryProviders.keys()].map((name) => `memory provider ${name}`),
    ...[...platforms.keys()].map((name) => `messaging platform ${name}`),
  ];
}

function toChecked({ registrations, ...plugin }: LoadedPlugin): object {
  return {
    ...toRecord(plugin),
    registered: registrationsOf({ registrations, ...plugin }),
    refused: registrations?.rejected,
  };
}

function describe(plugins: readonly LoadedPlugin[], io: CliIo): string {
  const style = createStyle(io.stdout, io.env);
  return plugins
    .map((plugin) => {
      const brought = registrationsOf(plugin).map((what) => `    ${printable(what)}\n`);
      const refused = (plugin.registrations?.rejected ?? []).map((why) => `    ${style.yellow(printable(why))}\n`);
      return [formatPlugins([plugin], style), ...brought, ...refused].join('');
    })
    .join('');
}
