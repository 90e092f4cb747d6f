import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HermesError, isJsonObject, parseJson } from '../base/index.ts';
import { homePaths } from '../config/index.ts';
import { ensurePrivateFolder, withFileLock } from '../util/index.ts';
import { type PluginManifest, readManifest } from './manifest.ts';
import { BadPlugin } from './plugin-fault.ts';

/** A downloaded plugin that is not installed yet. None of its code has run. */
export type PluginCandidate = {
  manifest: PluginManifest;
  folder: string;
  /** The path of the installed version, which would be moved to the trash. */
  replaces: string | undefined;
};

/**
 * Reads the manifest in a folder. `label` is the source; the plugin's name is derived from it if the manifest has
 * none.
 */
export async function preparePlugin(home: string, folder: string, label: string): Promise<PluginCandidate> {
  try {
    const manifest = await readManifest(folder, basename(label).replace(/^npm:|\.git$/g, ''));
    assertDependenciesIncluded(folder);
    const target = join(homePaths(home).pluginsFolder, manifest.name);
    return { manifest, folder, replaces: existsSync(target) ? target : undefined };
  } catch (thrown) {
    if (!(thrown instanceof BadPlugin)) throw thrown;
    throw new HermesError(`Cannot install ${label}: ${thrown.message}.`, { hint: thrown.hint });
  }
}

/** Dependencies are not installed here: npm does that, and it may have to run install scripts. */
function assertDependenciesIncluded(folder: string): void {
  const file = join(folder, 'package.json');
  if (!existsSync(file) || existsSync(join(folder, 'node_modules'))) return;
  const values = parseJson(readFileSync(file, 'utf8'));
  const needed =
    isJsonObject(values) && isJsonObject(values['dependencies']) ? Object.keys(values['dependencies']) : [];
  if (needed.length === 0) return;
  throw new BadPlugin(`it depends on packages that it does not contain (${needed.join(', ')})`, {
    hint: 'Install it with `npm install --prefix` and the plugins folder of the home directory, then enable it.',
  });
}

/** Installs a plugin into the home directory atomically and returns its path. */
export function installPlugin(home: string, candidate: PluginCandidate): Promise<string> {
  return withPluginsLock(home, () => putInPlace(home, candidate));
}

/** Only one process changes the plugins of a home directory at a time. */
async function withPluginsLock<Value>(home: string, change: () => Value): Promise<Value> {
  const { pluginsFolder } = homePaths(home);
  await ensurePrivateFolder(pluginsFolder);
  return withFileLock(join(pluginsFolder, '.changing'), async () => change());
}

function putInPlace(home: string, { manifest, folder }: PluginCandidate): string {
  const { pluginsFolder } = homePaths(home);
  const target = join(pluginsFolder, manifest.name);
  const fresh = mkdtempSync(join(pluginsFolder, '.new-'));
  try {
    // Symbolic links could point anywhere, and the Git history is not part of a plugin.
    const isWanted = (path: string) => !lstatSync(path).isSymbolicLink() && basename(path) !== '.git';
    cpSync(folder, join(fresh, manifest.name), { recursive: true, filter: isWanted });
    if (existsSync(target)) moveToTrash(home, manifest.name);
    renameSync(join(fresh, manifest.name), target);
    return target;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Moves a plugin to the trash and returns its path there. */
export function removePlugin(home: string, name: string): Promise<string> {
  return withPluginsLock(home, () => moveToTrash(home, name));
}

function moveToTrash(home: string, name: string): string {
  const { pluginsFolder, trashFolder } = homePaths(home);
  const folder = join(trashFolder, 'plugins');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const target = join(mkdtempSync(join(folder, `${name}-${stamp}-`)), name);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(join(pluginsFolder, name), target);
  return target;
}
