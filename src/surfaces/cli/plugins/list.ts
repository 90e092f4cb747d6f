import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import { describeFault, findAllPlugins, type FoundPlugin } from '../../../plugins/index.ts';
import { nearestNames } from '../../../util/index.ts';
import { describeProvisions, formatPlugins } from '../../text/plugins-text.ts';
import { formatPairs } from '../../text/table.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle } from '../style.ts';

export async function listPlugins({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { plugins } = await findAll(io);
  if (json) {
    writeJson(io.stdout, { plugins: plugins.map(toRecord) });
    return 0;
  }
  const none = 'There are no plugins. See docs/plugins.md for how to install them.\n';
  io.stdout.write(plugins.length === 0 ? none : formatPlugins(plugins, createStyle(io.stdout, io.env)));
  return 0;
}

/** Shows the manifest of a plugin; none of its code runs. */
export async function showPlugin(name: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { plugins } = await findAll(io);
  const plugin = plugins.find((one) => one.name === name);
  if (plugin === undefined) throw unknownPlugin(name, plugins);
  if (json) writeJson(io.stdout, toRecord(plugin));
  else io.stdout.write(formatPlugin(plugin, io.stdout.columns));
  return 0;
}

export function formatPlugin(plugin: FoundPlugin, columns: number | undefined): string {
  const { name, manifest, folder, origin, state, fault } = plugin;
  return formatPairs(
    [
      ['plugin', [name, manifest?.version].filter(Boolean).join(' ')],
      ...(manifest?.description ? [['about', manifest.description] as const] : []),
      ['state', fault === undefined ? STATES[state] : `${STATES[state]}: ${describeFault(fault)}`],
      ['folder', `${folder} (${origin})`],
      ...(manifest?.minimumHostVersion === undefined
        ? []
        : [['wants', `Hermes ${manifest.minimumHostVersion} or newer`] as const]),
      ...describeProvisions(manifest),
    ],
    columns,
  );
}

const STATES: Readonly<Record<FoundPlugin['state'], string>> = {
  on: 'enabled',
  off: 'not enabled',
  untrusted: 'not used: its project is not trusted',
  faulty: 'enabled, but not usable',
};

/** All plugins in the home directory and in the current project. */
export async function findAll(io: CliIo): Promise<{ settings: Settings; plugins: FoundPlugin[] }> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { home, plugins } = settings;
  return {
    settings,
    plugins: await findAllPlugins({ home, workingDirectory: io.workingDirectory, settings: plugins }),
  };
}

export function unknownPlugin(name: string, plugins: readonly FoundPlugin[]): ConfigurationError {
  const [near] = nearestNames(
    name,
    plugins.map((plugin) => plugin.name),
    1,
  );
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  return new ConfigurationError(`There is no plugin ${JSON.stringify(name)}.${meant}`, {
    hint: '`hermes plugins list` shows all plugins; see docs/plugins.md for where they are installed.',
  });
}

/** The JSON output of a plugin. */
export function toRecord({ manifest, ...plugin }: FoundPlugin): object {
  const { version, description, minimumHostVersion, variables, provides } = manifest ?? {};
  return {
    ...plugin,
    version,
    description,
    requiresHermes: minimumHostVersion,
    requiresVariables: variables,
    provides,
  };
}
