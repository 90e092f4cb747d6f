import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * The parts of a project that must not change inside a sandbox, because programs outside it run what they name: the
 * hooks and the configuration of git, and the plugins of Hermes.
 */
export type ProjectGuard = {
  /** Folders that stay writable, but become mount points, so that they cannot be replaced as a whole. */
  writable: readonly string[];
  readOnly: readonly string[];
  /** Files that must not appear: with them git would use other hooks or another configuration, or Hermes load plugins. */
  forbidden: readonly string[];
};

/** Git reads more than this file has only in a broken repository. */
const MAX_LINK_FILE = 4096;

/** The guards of a working directory. Everything outside it is read-only anyway. */
export function guardProject(folder: string): ProjectGuard[] {
  return [...guardPlugins(folder), ...guardRepository(folder)];
}

/** In a trusted project, Hermes loads these plugins at its next start. A command must not create the folder either. */
function guardPlugins(folder: string): ProjectGuard[] {
  const own = join(folder, '.hermes');
  const plugins = join(own, 'plugins');
  const found = lstatSync(own, { throwIfNoEntry: false });
  if (found === undefined) return [{ writable: [], readOnly: [], forbidden: [plugins] }];
  // What a link leads to is outside the folder, or guarded under its own path.
  if (!found.isDirectory()) return [];
  if (!existsSync(plugins)) return [{ writable: [own], readOnly: [], forbidden: [plugins] }];
  return realFolder(plugins) === plugins ? [{ writable: [own], readOnly: [plugins], forbidden: [] }] : [];
}

/**
 * The guards of the repository in a folder, which may be bare. That of a worktree, or of a folder above, is outside the
 * folder. Submodules and other worktrees are read-only as a whole.
 */
function guardRepository(folder: string): ProjectGuard[] {
  const path = join(folder, '.git');
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return existsSync(join(folder, 'objects')) ? guardFolder(folder) : [];
  if (found.isDirectory()) return guardFolder(path);
  const file: ProjectGuard[] = found.isFile() ? [{ writable: [], readOnly: [path], forbidden: [] }] : [];
  const target = found.isFile() ? linkedFolder(path) : realFolder(path);
  return [...file, ...foldersOf(target).flatMap((each) => (isInside(each, folder) ? guardFolder(each) : []))];
}

/** Removes what a command created to make git use other hooks or another configuration, or Hermes load plugins. */
export function removeForbidden(guards: readonly ProjectGuard[]): string[] {
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  // A new folder may be a link, through which something else would be removed.
  const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const found = guards
    .flatMap(({ forbidden }) => forbidden)
    .flatMap((path) => (isLink(dirname(path)) ? [dirname(path)] : isThere(path) ? [path] : []));
  for (const path of found) rmSync(path, { recursive: true, force: true });
  return found;
}

function guardFolder(folder: string): ProjectGuard[] {
  if (!existsSync(join(folder, 'HEAD'))) return [];
  const [hooks, config] = [join(folder, 'hooks'), join(folder, 'config')];
  // A mount point must exist, and git accepts both if they are empty.
  ensure(() => mkdirSync(hooks));
  ensure(() => writeFileSync(config, '', { flag: 'wx' }));
  // A link can be replaced, because a mount would be at its target.
  const parts = [hooks, config].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (parts.some((part) => part === undefined || part.isSymbolicLink())) {
    const targets = [hooks, config].flatMap((path) => realFolder(path) ?? []);
    return [{ writable: [], readOnly: [folder, ...targets.filter((path) => !isInside(path, folder))], forbidden: [] }];
  }
  const more = ['config.worktree', 'commondir', 'worktrees', 'modules'].map((name) => join(folder, name));
  const existing = more.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false);
  const redirects = more.slice(0, 2).filter((path) => !existing.includes(path));
  return [{ writable: [folder], readOnly: [hooks, config, ...existing], forbidden: redirects }];
}

/** The git folder of a worktree and the one that it shares with the others. */
function foldersOf(folder: string | undefined): string[] {
  if (folder === undefined) return [];
  const common = readSmall(join(folder, 'commondir'));
  return common === undefined ? [folder] : [folder, realFolder(resolve(folder, common)) ?? folder];
}

/** The folder that a `.git` file names. */
function linkedFolder(file: string): string | undefined {
  const [, target] = /^gitdir: (.+)$/.exec(readSmall(file) ?? '') ?? [];
  return target === undefined ? undefined : realFolder(resolve(dirname(file), target));
}

function realFolder(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function readSmall(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').slice(0, MAX_LINK_FILE).trimEnd();
  } catch {
    return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** It exists already, or the repository cannot be written, inside the sandbox either. */
function ensure(make: () => void): void {
  try {
    make();
  } catch {
    // The caller checks what is there.
  }
}
