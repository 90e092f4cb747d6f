import { existsSync } from 'node:fs';
import { ConfigurationError } from '../../../base/index.ts';
import { homePaths, resolveHome, updateConfig } from '../../../config/index.ts';
import { installPlugin, type PluginCandidate, preparePlugin, removePlugin } from '../../../plugins/index.ts';
import { withFetchedFolder } from '../../../skills/installing/index.ts';
import { formatPairs } from '../../text/table.ts';
import { describeProvisions } from '../../text/plugins-text.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';
import { findAll, unknownPlugin } from './list.ts';

type ChangeOptions = { json?: boolean; yes?: boolean };

/** Installs a plugin into the home directory. Its code does not run until it is enabled. */
export async function installPluginFrom(
  source: string,
  { json, yes }: ChangeOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const { env, workingDirectory } = io;
  const home = resolveHome(env);
  return withFetchedFolder({ home, workingDirectory, source, env, signal }, async (fetched) => {
    const candidate = await preparePlugin(home, fetched.folder, fetched.source.label);
    const { name, version } = candidate.manifest;
    if (!json) io.stdout.write(describe(candidate, fetched.source.label, io.stdout.columns));
    const why = `The plugin ${name} already exists`;
    const question = `${why}. Replace it? The old one is moved to the trash.`;
    if (candidate.replaces !== undefined && !(await confirm(question, yes, io, why))) return 1;
    const folder = await installPlugin(home, candidate);
    if (json) writeJson(io.stdout, { name, version, folder });
    else io.stdout.write(`Installed in ${printable(folder)}. To load it, run: hermes plugins enable ${name}\n`);
    return 0;
  });
}

function describe({ manifest }: PluginCandidate, source: string, columns: number | undefined): string {
  const { name, version, description } = manifest;
  const rows: [string, string][] = [
    ['plugin', `${name} ${version}`],
    ['from', source],
    ['about', description],
    ...describeProvisions(manifest),
  ];
  return formatPairs(rows, columns);
}

/** Moves a plugin from the home directory to the trash. */
export async function uninstallPlugin(name: string, { json, yes }: ChangeOptions, io: CliIo): Promise<number> {
  const { settings, plugins } = await findAll(io);
  const plugin = plugins.find((one) => one.name === name);
  if (plugin === undefined) throw unknownPlugin(name, plugins);
  if (plugin.origin !== 'user' || !existsSync(plugin.folder))
    throw new ConfigurationError(`${name} is not in ${homePaths(settings.home).pluginsFolder}.`, {
      hint: `Run \`hermes plugins disable ${name}\` to remove it from the configuration.`,
    });
  if (!(await confirm(`Remove ${plugin.folder}? It is moved to the trash.`, yes, io, 'This removes a plugin')))
    return 1;
  const kept = await removePlugin(settings.home, name);
  if (settings.plugins?.enabled.includes(name))
    await updateConfig(settings.home, [{ path: ['plugins', 'enabled'], remove: name }]);
  if (json) writeJson(io.stdout, { name, kept });
  else io.stdout.write(`Removed ${name}; it was moved to ${printable(kept)}.\n`);
  return 0;
}
