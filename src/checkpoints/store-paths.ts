import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { HermesError } from '../base/index.ts';
import { isInside } from '../util/index.ts';

/** The paths of the checkpoint store of one directory. */
export type StorePaths = {
  /** The directory whose files are stored, with symbolic links resolved. */
  directory: string;
  /** The folder of this store in the home directory. */
  folder: string;
  /** The git repository in that folder. */
  store: string;
  /** The git index, so that only changed files are read. */
  indexFile: string;
  lockFile: string;
  /** Records the path of the directory; its modification time is the time of last use. */
  aboutFile: string;
};

/** Each directory has its own folder, named after the directory plus a hash that makes it unique. */
export function storePathsFor(folder: string, directory: string): StorePaths {
  const name =
    basename(directory)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 40) || 'root';
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  return storePathsIn(join(folder, `${name}-${hash}`), directory);
}

export function storePathsIn(own: string, directory: string): StorePaths {
  return {
    directory,
    folder: own,
    store: join(own, 'store.git'),
    indexFile: join(own, 'index'),
    lockFile: join(own, 'lock'),
    aboutFile: join(own, 'about.json'),
  };
}

/**
 * Why no checkpoints are taken in a directory; undefined if they can be. `directory` is absolute, with links
 * resolved.
 */
export function unsupportedReason(directory: string, home: string, userHome = homedir()): string | undefined {
  if (dirname(directory) === directory) return 'the working directory is the root of the file system';
  if (isInside(directory, resolveLinks(userHome))) return 'the working directory contains your whole home directory';
  const own = resolveLinks(home);
  const isOwn = isInside(own, directory) && !isInside(join(own, 'worktrees'), directory);
  return isOwn ? `the working directory is inside the home directory of Hermes, ${home}` : undefined;
}

/** Resolves links, for comparison with a directory whose links are resolved. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Resolves links, so that a directory has one store whichever path leads to it. */
export async function resolveDirectory(directory: string): Promise<string> {
  return realpath(directory).catch((thrown: unknown) => {
    throw new HermesError(`Could not open the directory ${directory}.`, { cause: thrown });
  });
}
