import { ConfigurationError } from '../../../base/index.ts';
import { type ConfigChange, homePaths, resolveHome, type Settings, updateConfig } from '../../../config/index.ts';
import { type FoundPlugin, findAllPlugins, isTrusted } from '../../../plugins/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';
import { findAll, formatPlugin, unknownPlugin } from './list.ts';

type ChangeOptions = { json?: boolean; yes?: boolean };

const path = (key: string) => ['plugins', key] as const;

/** Enables a plugin after showing what it provides, or disables it. Takes effect in new sessions. */
export async function changePlugin(
  change: 'enable' | 'disable',
  name: string,
  options: ChangeOptions,
  io: CliIo,
): Promise<number> {
  const { settings, plugins } = await findAll(io);
  const plugin = plugins.find((one) => one.name === name) ?? (await findPackage(name, settings, io));
  if (plugin === undefined) throw unknownPlugin(name, plugins);
  if (change === 'enable' && plugin.fault !== undefined)
    throw new ConfigurationError(`Cannot enable ${name}: ${plugin.fault.reason}.`, { hint: plugin.fault.hint });
  if (change === 'enable' && !(await confirmEnabling(plugin, options, io))) return 1;
  await updateConfig(resolveHome(io.env), async () => {
    const { settings: current } = await findAll(io);
    return change === 'enable' ? enabling(plugin, name, current) : disabling(plugin, name, current);
  });
  if (options.json) writeJson(io.stdout, { name: plugin.name, enabled: change === 'enable' });
  else
    io.stdout.write(
      `${plugin.name} is ${change}d in ${printable(homePaths(settings.home).configFile)}; this applies to new sessions.\n`,
    );
  return 0;
}

/** Finds a package in `node_modules` that is not configured yet. */
async function findPackage(name: string, settings: Settings, io: CliIo): Promise<FoundPlugin | undefined> {
  const packages = { enabled: [], disabled: [], packages: [name], trustedProjectDirs: [], config: {} };
  const options = { home: settings.home, workingDirectory: io.workingDirectory, settings: packages };
  const found = (await findAllPlugins(options)).find(({ origin }) => origin === 'package');
  return found?.manifest === undefined ? undefined : found;
}

async function confirmEnabling(plugin: FoundPlugin, { json, yes }: ChangeOptions, io: CliIo): Promise<boolean> {
  if (!json) io.stdout.write(formatPlugin({ ...plugin, state: 'off' }, io.stdout.columns));
  const of = plugin.project === undefined ? '' : ` of the project ${plugin.project}`;
  const question = `Allow the code of ${plugin.name}${of} to run inside Hermes?`;
  return confirm(question, yes, io, 'A plugin runs with all of your permissions');
}

function enabling({ origin, project, name }: FoundPlugin, asked: string, { plugins }: Settings): ConfigChange[] {
  const isOff = plugins?.disabled.includes(name) ?? false;
  const on: ConfigChange[] =
    origin === 'package' ? [{ path: path('packages'), add: asked }] : [{ path: path('enabled'), add: name }];
  const trusted = plugins !== undefined && project !== undefined && isTrusted(project, plugins);
  if (project !== undefined && !trusted) on.push({ path: path('trusted_project_dirs'), add: project });
  return isOff ? [...on, { path: path('disabled'), remove: name }] : on;
}

/**
 * A package may be configured as a folder, which is hard to find again, so its name is added to the list of disabled
 * plugins.
 */
function disabling({ origin, name }: FoundPlugin, asked: string, { plugins }: Settings): ConfigChange[] {
  if (origin !== 'package') return [{ path: path('enabled'), remove: name }];
  const isNamed = plugins?.packages.includes(asked) ?? false;
  return isNamed ? [{ path: path('packages'), remove: asked }] : [{ path: path('disabled'), add: name }];
}
