import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HermesError, isJsonObject, parseJson } from '../base/index.ts';
import { homePaths } from '../config/index.ts';
import { type PluginManifest, readManifest } from './manifest.ts';
import { BadPlugin } from './plugin-fault.ts';

/** A plugin that was fetched and not yet put into its place; none of its code has run. */
export type PluginCandidate = {
  manifest: PluginManifest;
  folder: string;
  /** What would go to the trash. */
  replaces: string | undefined;
};

/** Looks at a folder. `label` is where it came from, which names a plugin whose manifest does not. */
export async function preparePlugin(home: string, folder: string, label: string): Promise<PluginCandidate> {
  try {
    const manifest = await readManifest(folder, basename(label).replace(/^npm:|\.git$/g, ''));
    assertComplete(folder);
    const target = join(homePaths(home).pluginsFolder, manifest.name);
    return { manifest, folder, replaces: existsSync(target) ? target : undefined };
  } catch (thrown) {
    if (!(thrown instanceof BadPlugin)) throw thrown;
    throw new HermesError(`${label} cannot be installed: ${thrown.message}.`, { hint: thrown.hint });
  }
}

/** Packages that it needs are not fetched here: that is npm's, which may have to run something for it. */
function assertComplete(folder: string): void {
  const file = join(folder, 'package.json');
  if (!existsSync(file) || existsSync(join(folder, 'node_modules'))) return;
  const values = parseJson(readFileSync(file, 'utf8'));
  const needed =
    isJsonObject(values) && isJsonObject(values['dependencies']) ? Object.keys(values['dependencies']) : [];
  if (needed.length === 0) return;
  throw new BadPlugin(`it needs other packages (${needed.join(', ')}), which are not in it`, {
    hint: 'Install it with `npm install --prefix` and the folder plugins of the home, then enable it.',
  });
}

/** Puts a plugin into the home, whole or not at all; where it is then. */
export function installPlugin(home: string, { manifest, folder }: PluginCandidate): string {
  const { pluginsFolder } = homePaths(home);
  const target = join(pluginsFolder, manifest.name);
  mkdirSync(pluginsFolder, { recursive: true, mode: 0o700 });
  const fresh = mkdtempSync(join(pluginsFolder, '.new-'));
  try {
    // Links could lead anywhere, and the history of a repository is no part of a plugin.
    const isWanted = (path: string) => !lstatSync(path).isSymbolicLink() && basename(path) !== '.git';
    cpSync(folder, join(fresh, manifest.name), { recursive: true, filter: isWanted });
    if (existsSync(target)) removePlugin(home, manifest.name);
    renameSync(join(fresh, manifest.name), target);
    return target;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Moves a plugin where it can be had back; the place it has then. */
export function removePlugin(home: string, name: string): string {
  const { pluginsFolder, trashFolder } = homePaths(home);
  const folder = join(trashFolder, 'plugins');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const target = join(mkdtempSync(join(folder, `${name}-${stamp}-`)), name);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(join(pluginsFolder, name), target);
  return target;
}
