import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { errorMessage } from '../base/index.ts';
import { homePaths, type PluginSettings } from '../config/index.ts';
import { foldersOfProject } from '../util/index.ts';
import { HOST_VERSION, isAtLeast, type PluginManifest, readManifest } from './manifest.ts';
import { BadPlugin, type PluginFault } from './plugin-fault.ts';

/** Whose place a plugin lies in: the home, a project, or a package that the configuration names. */
export type PluginOrigin = 'user' | 'project' | 'package';

/** `on`: it is loaded. `off`: nobody enabled it, or somebody disabled it. `untrusted`: it belongs to a project that was not trusted. */
export type PluginState = 'on' | 'off' | 'untrusted' | 'faulty';

export type FoundPlugin = {
  name: string;
  folder: string;
  origin: PluginOrigin;
  /** Of a plugin of a project. */
  project?: string;
  state: PluginState;
  manifest?: PluginManifest;
  fault?: PluginFault;
};

export type FindOptions = {
  home: string;
  workingDirectory: string;
  settings: PluginSettings | undefined;
  /** Of Hermes, where it is not the one of this build. */
  hostVersion?: string | undefined;
};

type Candidate = Pick<FoundPlugin, 'name' | 'folder' | 'origin'> & { project?: string };

/** Folders in the place of plugins that are none. */
const OTHERS = ['node_modules', 'context_engine', 'memory'];
const IN_PROJECT = join('.hermes', 'plugins');
const NONE: PluginSettings = { enabled: [], disabled: [], packages: [], trustedProjectDirs: [], config: {} };

/** What is to be loaded, with what is wrong about it. Only the folders of enabled plugins are looked at. */
export async function findEnabledPlugins(options: FindOptions): Promise<FoundPlugin[]> {
  const { settings = NONE } = options;
  const wanted = (name: string) => settings.enabled.includes(name) && !settings.disabled.includes(name);
  const named = [...new Set(settings.enabled)].filter(wanted);
  const places = projectPlaces(options).filter(({ project }) => isTrusted(project, settings));
  const candidates = named.map((name): Candidate => {
    const user = join(homePaths(options.home).pluginsFolder, name);
    const place = existsSync(user) ? undefined : places.find(({ folder }) => existsSync(join(folder, name)));
    return place === undefined
      ? { name, folder: user, origin: 'user' }
      : { name, folder: join(place.folder, name), origin: 'project', project: place.project };
  });
  const found = await describeAll([...candidates, ...packagesOf(options)], options);
  return found.filter(({ state }) => state === 'on' || state === 'faulty');
}

/** Every plugin there is, whoever enabled it. */
export async function findAllPlugins(options: FindOptions): Promise<FoundPlugin[]> {
  const { settings = NONE, home } = options;
  const { pluginsFolder } = homePaths(home);
  const user = foldersIn(pluginsFolder).map(
    (name): Candidate => ({
      name,
      folder: join(pluginsFolder, name),
      origin: 'user',
    }),
  );
  const projects = projectPlaces(options).flatMap(({ folder, project }) =>
    foldersIn(folder).map((name): Candidate => ({ name, folder: join(folder, name), origin: 'project', project })),
  );
  const missing = settings.enabled
    .filter((name) => ![...user, ...projects].some((one) => one.name === name))
    .map((name): Candidate => ({ name, folder: join(pluginsFolder, name), origin: 'user' }));
  return describeAll([...user, ...projects, ...missing, ...packagesOf(options)], options);
}

function foldersIn(place: string): string[] {
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => !name.startsWith('.') && !OTHERS.includes(name))
    .filter((name) => statSync(join(place, name), { throwIfNoEntry: false })?.isDirectory() ?? false)
    .sort();
}

function projectPlaces({ home, workingDirectory }: FindOptions): { folder: string; project: string }[] {
  return (
    foldersOfProject(workingDirectory)
      .map((project) => ({ project, folder: join(project, IN_PROJECT) }))
      // Whoever works in the folder above the home meets their own plugins there.
      .filter(({ folder }) => folder !== homePaths(home).pluginsFolder && existsSync(folder))
  );
}

/** A package is named by the person: that is the word which enables it. */
function packagesOf({ home, settings = NONE }: FindOptions): Candidate[] {
  return settings.packages.map((written) => {
    const path = written.replace(/^~(?=\/|$)/, homedir());
    const isFolder = isAbsolute(path) || path.startsWith('.');
    const folder = isFolder ? resolve(home, path) : join(homePaths(home).pluginsFolder, 'node_modules', path);
    return { name: basename(folder), folder, origin: 'package' };
  });
}

/** By where links lead: a trusted name must not be made to mean another folder. */
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
    return other === undefined ? plugin : faulty(plugin, `another plugin has its name (${other.folder}), and counts`);
  });
}

async function describe(candidate: Candidate, options: FindOptions): Promise<FoundPlugin> {
  const { settings = NONE, hostVersion = HOST_VERSION } = options;
  const state = stateOf(candidate, settings);
  try {
    if (!existsSync(candidate.folder)) throw notThere(candidate);
    const manifest = await readManifest(candidate.folder);
    if (manifest.name !== candidate.name)
      throw new BadPlugin(`its manifest calls it ${manifest.name}, but its folder is called ${candidate.name}`, {
        hint: 'Give both the same name.',
      });
    assertHost(manifest, hostVersion);
    return { ...candidate, state, manifest };
  } catch (thrown) {
    return faulty({ ...candidate, state }, errorMessage(thrown), thrown instanceof BadPlugin ? thrown.hint : undefined);
  }
}

function assertHost({ leastHost }: PluginManifest, version: string | undefined): void {
  if (leastHost === undefined || version === undefined || isAtLeast(version, leastHost)) return;
  throw new BadPlugin(`it wants Hermes ${leastHost} or newer, and this is ${version}`, {
    hint: 'Bring Hermes up to date (`hermes update`), or use an older version of the plugin.',
  });
}

function notThere({ name, origin }: Candidate): BadPlugin {
  const hint =
    origin === 'package'
      ? 'Install it with `npm install --prefix` and the folder plugins of the home, or take it out of plugins.packages.'
      : `Put it there, or take it out of the configuration: hermes plugins disable ${name}`;
  return new BadPlugin('it is enabled, but not there', { hint });
}

/** What nobody wants is not in the way, also where something is wrong with it. */
function faulty(plugin: Omit<FoundPlugin, 'fault'>, reason: string, hint?: string): FoundPlugin {
  const fault = { plugin: plugin.name, place: plugin.folder, reason, hint };
  return { ...plugin, state: plugin.state === 'on' ? 'faulty' : plugin.state, fault };
}

function stateOf({ name, origin, project }: Candidate, settings: PluginSettings): PluginState {
  if (settings.disabled.includes(name)) return 'off';
  if (origin === 'package') return 'on';
  if (!settings.enabled.includes(name)) return 'off';
  return project === undefined || isTrusted(project, settings) ? 'on' : 'untrusted';
}
