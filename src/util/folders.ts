import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import { hasProcessEnded, currentProcess, processScope } from './operating-system/index.ts';

/** Whether an absolute path is a folder or inside it. Compares the paths as written; the caller resolves links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const MAX_PARENT_DIRECTORIES = 40;

/**
 * A folder and its parents up to the root of its repository, nearest first; only the folder itself if there is no
 * repository.
 */
export function projectFolders(workingDirectory: string): string[] {
  const folders = [workingDirectory];
  for (let at = workingDirectory; !existsSync(join(at, '.git')); at = dirname(at)) {
    // Outside a repository, parent folders do not belong to the project.
    if (dirname(at) === at || folders.length > MAX_PARENT_DIRECTORIES) return [workingDirectory];
    folders.push(dirname(at));
  }
  return folders;
}

type Options = { mode?: number };

/**
 * Creates a folder and its missing parents. Node's recursive mkdir never returns if the parent exists but creating
 * the folder fails with ENOENT, as in /proc. This function tries each folder at most twice.
 */
export async function makeFolders(folder: string, options: Options = {}): Promise<void> {
  try {
    await mkdir(folder, options);
  } catch (thrown) {
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory()) return;
    const above = missingParent(folder, thrown);
    await makeFolders(above, options);
    await mkdir(folder, options).catch(ignoreExisting);
  }
}

/** The synchronous version. */
export function makeFoldersSync(folder: string, options: Options = {}): void {
  try {
    mkdirSync(folder, options);
  } catch (thrown) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    const above = missingParent(folder, thrown);
    makeFoldersSync(above, options);
    try {
      mkdirSync(folder, options);
    } catch (again) {
      ignoreExisting(again);
    }
  }
}

/** The parent that must be created first; rethrows any error except a missing parent. */
function missingParent(folder: string, thrown: unknown): string {
  const above = dirname(folder);
  if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw thrown;
  return above;
}

/** Ignores EEXIST: another process may have created the folder in the meantime. */
function ignoreExisting(thrown: unknown): void {
  if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
}

const OWNER_FILE = 'owner.json';

/** Records the owner process in a temporary folder, so that later processes know when it is abandoned. */
export function markFolderOwner(folder: string): void {
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(currentProcess()), { mode: 0o600 });
}

/** Removes the marked folders with this prefix whose processes no longer exist because they were killed. */
export function removeAbandonedFolders(parent: string, prefix: string): void {
  const scope = processScope();
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    if (!isOwnedByUser(join(parent, name))) continue;
    const owner = readOwner(join(parent, name));
    if (owner !== undefined && hasProcessEnded(owner, scope)) tryRemove(join(parent, name));
  }
}

/** Another user with write access could replace a part of the folder with a link while it is being removed. */
function isOwnedByUser(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}

function readOwner(folder: string): { pid: number; scope: string } | undefined {
  try {
    // Any user may write to this folder, and reading a FIFO could block forever.
    if (!lstatSync(join(folder, OWNER_FILE)).isFile()) return undefined;
    const owner = parseJson(readFileSync(join(folder, OWNER_FILE), 'utf8'));
    if (!isJsonObject(owner) || typeof owner['pid'] !== 'number' || typeof owner['scope'] !== 'string')
      return undefined;
    return { pid: owner['pid'], scope: owner['scope'] };
  } catch {
    // No owner file, or the folder is being removed.
    return undefined;
  }
}

/** Ignores errors: a folder that cannot be removed now is removed by a later process. */
function tryRemove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A leftover folder does no harm.
  }
}
