import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import { hasDied, markProcess, processScope } from './process-life.ts';

/** Whether an absolute path is a folder or lies in it, as the paths are written: links are for the caller to follow. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const MAX_PARENT_DIRECTORIES = 40;

/** A folder and those above it up to the root of its repository, the nearest first; without one only itself. */
export function foldersOfProject(workingDirectory: string): string[] {
  const folders = [workingDirectory];
  for (let at = workingDirectory; !existsSync(join(at, '.git')); at = dirname(at)) {
    // Outside of a repository a folder further up is somebody else's business.
    if (dirname(at) === at || folders.length > MAX_PARENT_DIRECTORIES) return [workingDirectory];
    folders.push(dirname(at));
  }
  return folders;
}

type Options = { mode?: number };

/**
 * Makes a folder, and those above it that are missing. Node's own way never ends where the folder above is there and yet
 * nothing can be made in it because "there is no such folder", as in /proc; this one asks for each folder twice at most.
 */
export async function makeFolders(folder: string, options: Options = {}): Promise<void> {
  try {
    await mkdir(folder, options);
  } catch (thrown) {
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory()) return;
    const above = aboveMissing(folder, thrown);
    await makeFolders(above, options);
    await mkdir(folder, options).catch(unlessThere);
  }
}

/** The same for those who cannot wait. */
export function makeFoldersSync(folder: string, options: Options = {}): void {
  try {
    mkdirSync(folder, options);
  } catch (thrown) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    const above = aboveMissing(folder, thrown);
    makeFoldersSync(above, options);
    try {
      mkdirSync(folder, options);
    } catch (again) {
      unlessThere(again);
    }
  }
}

/** What has to be made first; throws what stood in the way where that is something else. */
function aboveMissing(folder: string, thrown: unknown): string {
  const above = dirname(folder);
  if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw thrown;
  return above;
}

/** Another process may have made it meanwhile. */
function unlessThere(thrown: unknown): void {
  if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
}

const OWNER_FILE = 'owner.json';

/** Writes into a temporary folder whose it is, so that a later program can tell when nobody needs it any more. */
export function markFolder(folder: string): void {
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(markProcess()), { mode: 0o600 });
}

/** Removes the marked folders whose names begin like this and whose programs are gone: they were killed. */
export function removeAbandonedFolders(parent: string, prefix: string): void {
  const scope = processScope();
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    if (!isOwn(join(parent, name))) continue;
    const owner = readOwner(join(parent, name));
    if (owner !== undefined && hasDied(owner, scope)) removeIfPossible(join(parent, name));
  }
}

/** Another user with write access to a folder could replace a part of it by a link while it is removed. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}

function readOwner(folder: string): { pid: number; scope: string } | undefined {
  try {
    // Anybody may put things there: what is no plain file could be waited for without end.
    if (!lstatSync(join(folder, OWNER_FILE)).isFile()) return undefined;
    const owner = parseJson(readFileSync(join(folder, OWNER_FILE), 'utf8'));
    if (!isJsonObject(owner) || typeof owner['pid'] !== 'number' || typeof owner['scope'] !== 'string')
      return undefined;
    return { pid: owner['pid'], scope: owner['scope'] };
  } catch {
    // There is none, or it is just being removed.
    return undefined;
  }
}

/** What cannot be removed now is removed by a later one. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Nothing is lost by it.
  }
}
