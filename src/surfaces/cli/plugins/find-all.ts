import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import { findAllPlugins, type FoundPlugin } from '../../../plugins/index.ts';
import { nearestNames } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';

/** Every plugin that can be seen from here. */
export async function findAll(io: CliIo): Promise<{ settings: Settings; plugins: FoundPlugin[] }> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const { home, plugins } = settings;
  return {
    settings,
    plugins: await findAllPlugins({ home, workingDirectory: io.workingDirectory, settings: plugins }),
  };
}

export function noSuchPlugin(name: string, plugins: readonly FoundPlugin[]): ConfigurationError {
  const [near] = nearestNames(
    name,
    plugins.map((plugin) => plugin.name),
    1,
  );
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  return new ConfigurationError(`There is no plugin ${JSON.stringify(name)}.${meant}`, {
    hint: '`hermes plugins list` shows all; docs/plugins.md says where they belong.',
  });
}

/** What scripts get of a plugin. */
export function toRecord({ manifest, ...plugin }: FoundPlugin): object {
  const { version, description, leastHost, variables, provides } = manifest ?? {};
  return {
    ...plugin,
    ...{ version, description, requiresHermes: leastHost, requiresVariables: variables, provides },
  };
}
