import { errorMessage, type JsonObject } from '../base/index.ts';
import type { Logger, PluginModule } from '../contracts/index.ts';
import { importFile, redactSecrets, withinTime } from '../util/index.ts';
import { createHost, type Registrations } from './create-host.ts';
import type { FoundPlugin } from './find-plugins.ts';
import type { PluginManifest } from './manifest.ts';
import { BadPlugin, type PluginFault } from './plugin-fault.ts';

export type LoadOptions = {
  config: Readonly<Record<string, JsonObject>>;
  variables: Readonly<Record<string, string | undefined>>;
  logger: Logger;
  /** How long a module may take to be loaded and to register: 10 s. */
  loadMs?: number;
};

/** A plugin after an attempt to load it: what it brought, or why it is left out. */
export type LoadedPlugin = FoundPlugin & { registrations?: Registrations };

const LOAD_MS = 10_000;

/** Never fails: whatever is wrong with a plugin, the rest goes on without it. */
export async function loadPlugin(plugin: FoundPlugin, options: LoadOptions): Promise<LoadedPlugin> {
  const { manifest } = plugin;
  if (plugin.state !== 'on' || manifest === undefined) return plugin;
  try {
    assertVariables(manifest, options);
    return { ...plugin, registrations: await register(plugin, manifest, options) };
  } catch (thrown) {
    const hint = thrown instanceof BadPlugin ? thrown.hint : `hermes plugins disable ${plugin.name} leaves it out.`;
    const fault: PluginFault = {
      plugin: plugin.name,
      place: manifest.module,
      reason: redactSecrets(errorMessage(thrown)),
      hint,
    };
    options.logger.error('a plugin was left out', { plugin: plugin.name, place: manifest.module }, thrown);
    return { ...plugin, state: 'faulty', fault };
  }
}

/** Known before any of its code runs. */
function assertVariables({ variables: needed }: PluginManifest, { variables }: LoadOptions): void {
  const missing = needed.filter((name) => !variables[name]);
  if (missing.length > 0)
    throw new BadPlugin(`it needs ${missing.join(' and ')}`, {
      hint: 'Set it in .env of the home, or in the environment.',
    });
}

/** All that a plugin registers, or nothing of it. */
async function register(plugin: FoundPlugin, manifest: PluginManifest, options: LoadOptions): Promise<Registrations> {
  const { name, folder } = plugin;
  const config = options.config[name] ?? {};
  const made = createHost({ manifest, folder, config, variables: options.variables, logger: options.logger });
  const work = async () => {
    const { register: run } = (await importFile(manifest.module)) as Partial<PluginModule>;
    if (typeof run !== 'function')
      throw new BadPlugin('its module exports no function register', { hint: 'docs/plugins.md shows one.' });
    await run(made.host);
  };
  const limitMs = options.loadMs ?? LOAD_MS;
  try {
    await withinTime(work(), limitMs, () => new BadPlugin(`it was not loaded within ${limitMs / 1000} s`));
    return made.registrations;
  } finally {
    made.close();
  }
}
