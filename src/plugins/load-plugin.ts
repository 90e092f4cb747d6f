import { errorMessage, type JsonObject } from '../base/index.ts';
import type { Logger, PluginModule } from '../contracts/index.ts';
import { importFile, redactSecrets, withTimeout } from '../util/index.ts';
import { createHost, type Registrations } from './create-host.ts';
import type { FoundPlugin } from './find-plugins.ts';
import type { PluginManifest } from './manifest.ts';
import { BadPlugin, type PluginFault } from './plugin-fault.ts';

export type LoadOptions = {
  config: Readonly<Record<string, JsonObject>>;
  variables: Readonly<Record<string, string | undefined>>;
  logger: Logger;
  /** Time limit for loading the module and registering; default 10 s. */
  loadMs?: number;
};

/** A plugin after an attempt to load it, with its registrations or its fault. */
export type LoadedPlugin = FoundPlugin & { registrations?: Registrations };

const LOAD_MS = 10_000;

/** Never throws: a plugin with a fault is skipped. */
export async function loadPlugin(plugin: FoundPlugin, options: LoadOptions): Promise<LoadedPlugin> {
  const { manifest } = plugin;
  if (plugin.state !== 'on' || manifest === undefined) return plugin;
  try {
    assertVariables(manifest, options);
    return { ...plugin, registrations: await register(plugin, manifest, options) };
  } catch (thrown) {
    const hint =
      thrown instanceof BadPlugin ? thrown.hint : `To disable it, run: hermes plugins disable ${plugin.name}`;
    const fault: PluginFault = {
      plugin: plugin.name,
      location: manifest.module,
      reason: redactSecrets(errorMessage(thrown)),
      hint,
    };
    options.logger.error('skipped a plugin', { plugin: plugin.name, place: manifest.module }, thrown);
    return { ...plugin, state: 'faulty', fault };
  }
}

/** Throws if a required variable is missing. Called before any code of the plugin runs. */
function assertVariables({ variables: needed }: PluginManifest, { variables }: LoadOptions): void {
  const missing = needed.filter((name) => !variables[name]);
  if (missing.length > 0)
    throw new BadPlugin(`it requires the environment variable ${missing.join(' and ')}`, {
      hint: 'Set it in the environment or in the .env file of the home directory.',
    });
}

/** The registrations of a plugin; if one step fails, none of them are used. */
async function register(plugin: FoundPlugin, manifest: PluginManifest, options: LoadOptions): Promise<Registrations> {
  const { name, folder } = plugin;
  const config = options.config[name] ?? {};
  const made = createHost({ manifest, folder, config, variables: options.variables, logger: options.logger });
  const work = async () => {
    const { register: run } = (await importFile(manifest.module)) as Partial<PluginModule>;
    if (typeof run !== 'function')
      throw new BadPlugin('its module does not export a function `register`', {
        hint: 'See docs/plugins.md for an example.',
      });
    await run(made.host);
  };
  const limitMs = options.loadMs ?? LOAD_MS;
  try {
    await withTimeout(work(), limitMs, () => new BadPlugin(`loading it timed out after ${limitMs / 1000} s`));
    return made.registrations;
  } finally {
    made.close();
  }
}
