import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { errorMessage } from '../base/index.ts';
import { homePaths, type PluginSettings } from '../config/index.ts';
import { projectFolders } from '../util/index.ts';
import { HOST_VERSION, isAtLeast, type PluginManifest, readManifest } from './manifest.ts';
import { BadPlugin, type PluginFault } from './plugin-fault.ts';

/** Where a plugin was found: the home directory, a project, or a package in the configuration. */
export type PluginOrigin = 'user' | 'project' | 'package';

/**
 * `on`: it is loaded. `off`: it is disabled or not enabled. `untrusted`: its project is not trusted. `faulty`: it
 * cannot be used.
 */
export type PluginState = 'on' | 'off' | 'untrusted' | 'faulty';

export type FoundPlugin = {
  name: string;
  folder: string;
  origin: PluginOrigin;
  /** The path of the project, if a project contains the plugin. */
  project?: string;
  state: PluginState;
  manifest?: PluginManifest;
  fault?: PluginFault;
};

export type FindOptions = {
  home: string;
  workingDirectory: string;
  settings: PluginSettings | undefined;
  /** The version of Hermes, if not that of this build. */
  hostVersion?: string | undefined;
};

type Candidate = Pick<FoundPlugin, 'name' | 'folder' | 'origin'> & { project?: string };

/** Subfolders of the plugin folder that are not plugins. */
const NON_PLUGIN_FOLDERS = ['node_modules', 'context_engine', 'memory'];
const PROJECT_PLUGIN_FOLDER = join('.hermes', 'plugins');
const NO_PLUGIN_SETTINGS: PluginSettings = {
  enabled: [],
  disabled: [],
  packages: [],
  trustedProjectDirs: [],
  config: {},
};

/** The plugins to load, including those with a fault. Only the folders of enabled plugins are read. */
export async function findEnabledPlugins(options: FindOptions): Promise<FoundPlugin[]> {
  const { settings = NO_PLUGIN_SETTINGS } = options;
  const wanted = (name: string) => settings.enabled.includes(name) && !settings.disabled.includes(name);
  const named = [...new Set(settings.enabled)].filter(wanted);
  const places = projectPluginFolders(options).filter(({ project }) => isTrusted(project, settings));
  const candidates = named.map((name): Candidate => {
    const user = join(homePaths(options.home).pluginsFolder, name);
    const source = existsSync(user) ? undefined : places.find(({ folder }) => existsSync(join(folder, name)));
    return source === undefined
      ? { name, folder: user, origin: 'user' }
      : { name, folder: join(source.folder, name), origin: 'project', project: source.project };
  });
  const found = await describeAll([...candidates, ...packageCandidates(options)], options);
  return found.filter(({ state }) => state === 'on' || state === 'faulty');
}

/** All plugins, enabled or not. */
export async function findAllPlugins(options: FindOptions): Promise<FoundPlugin[]> {
  const { settings = NO_PLUGIN_SETTINGS, home } = options;
  const { pluginsFolder } = homePaths(home);
  const user = foldersIn(pluginsFolder).map(
    (name): Candidate => ({
      name,
      folder: join(pluginsFolder, name),
      origin: 'user',
    }),
  );
  const projects = projectPluginFolders(options).flatMap(({ folder, project }) =>
    foldersIn(folder).map((name): Candidate => ({ name, folder: join(folder, name), origin: 'project', project })),
  );
  const missing = settings.enabled
    .filter((name) => ![...user, ...projects].some((one) => one.name === name))
    .map((name): Candidate => ({ name, folder: join(pluginsFolder, name), origin: 'user' }));
  return describeAll([...user, ...projects, ...missing, ...packageCandidates(options)], options);
}

function foldersIn(location: string): string[] {
  if (!existsSync(location)) return [];
  return readdirSync(location)
    .filter((name) => !name.startsWith('.') && !NON_PLUGIN_FOLDERS.includes(name))
    .filter((name) => statSync(join(location, name), { throwIfNoEntry: false })?.isDirectory() ?? false)
    .sort();
}

function projectPluginFolders({ home, workingDirectory }: FindOptions): { folder: string; project: string }[] {
  return (
    projectFolders(workingDirectory)
      .map((project) => ({ project, folder: join(project, PROJECT_PLUGIN_FOLDER) }))
      // If the project is the parent of the home directory, this folder is the user's own plugin folder.
      .filter(({ folder }) => folder !== homePaths(home).pluginsFolder && existsSync(folder))
  );
}

/** Plugins from packages in the configuration, which need no further enabling. */
function packageCandidates({ home, settings = NO_PLUGIN_SETTINGS }: FindOptions): Candidate[] {
  return settings.packages.map((written) => {
    const path = written.replace(/^~(?=\/|$)/, homedir());
    const isFolder = isAbsolute(path) || path.startsWith('.');
    const folder = isFolder ? resolve(home, path) : join(homePaths(home).pluginsFolder, 'node_modules', path);
    return { name: basename(folder), folder, origin: 'package' };
  });
}

/** Compares real paths, so that a symbolic link cannot redirect a trusted path to another folder. */
export function isTrusted(project: string, { trustedProjectDirs }: PluginSettings): boolean {
  const own = realPath(project);
  return trustedProjectDirs.some((trusted) => realPath(resolve(trusted.replace(/^~(?=\/|$)/, homedir()))) === own);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

async function describeAll(candidates: readonly Candidate[], options: FindOptions): Promise<FoundPlugin[]> {
  const found = await Promise.all(candidates.map((candidate) => describe(candidate, options)));
  const taken = new Map<string, FoundPlugin>();
  return found.map((plugin) => {
    const other = taken.get(plugin.name);
    if (other === undefined) taken.set(plugin.name, plugin);
    return other === undefined
      ? plugin
      : withFault(plugin, `another plugin with the same name is used instead (${other.folder})`);
  });
}

async function describe(candidate: Candidate, options: FindOptions): Promise<FoundPlugin> {
  const { settings = NO_PLUGIN_SETTINGS, hostVersion = HOST_VERSION } = options;
  const state = stateOf(candidate, settings);
  try {
    if (!existsSync(candidate.folder)) throw notInstalled(candidate);
    const manifest = await readManifest(candidate.folder);
    if (manifest.name !== candidate.name)
      throw new BadPlugin(`the name in its manifest is ${manifest.name}, but its folder is ${candidate.name}`, {
        hint: 'Use the same name for both.',
      });
    assertHostVersion(manifest, hostVersion);
    return { ...candidate, state, manifest };
  } catch (thrown) {
    return withFault(
      { ...candidate, state },
      errorMessage(thrown),
      thrown instanceof BadPlugin ? thrown.hint : undefined,
    );
  }
}

function assertHostVersion({ minimumHostVersion }: PluginManifest, version: string | undefined): void {
  if (minimumHostVersion === undefined || version === undefined || isAtLeast(version, minimumHostVersion)) return;
  throw new BadPlugin(`it requires Hermes ${minimumHostVersion} or newer, but this is ${version}`, {
    hint: 'Update Hermes (`hermes update`), or use an older version of the plugin.',
  });
}

function notInstalled({ name, origin }: Candidate): BadPlugin {
  const hint =
    origin === 'package'
      ? 'Install it with `npm install --prefix` and the plugins folder of the home directory, or remove it from plugins.packages.'
      : `Install it there, or disable it: hermes plugins disable ${name}`;
  return new BadPlugin('it is enabled but not installed', { hint });
}

/** A disabled plugin keeps its state even if it has a fault. */
function withFault(plugin: Omit<FoundPlugin, 'fault'>, reason: string, hint?: string): FoundPlugin {
  const fault = { plugin: plugin.name, location: plugin.folder, reason, hint };
  return { ...plugin, state: plugin.state === 'on' ? 'faulty' : plugin.state, fault };
}

function stateOf({ name, origin, project }: Candidate, settings: PluginSettings): PluginState {
  if (settings.disabled.includes(name)) return 'off';
  if (origin === 'package') return 'on';
  if (!settings.enabled.includes(name)) return 'off';
  return project === undefined || isTrusted(project, settings) ? 'on' : 'untrusted';
}
