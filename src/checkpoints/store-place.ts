import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { HermesError } from '../base/index.ts';
import { isInside } from '../util/index.ts';

/** Where the checkpoints of one directory are. */
export type StorePlace = {
  /** The directory whose files are kept, with links followed. */
  directory: string;
  /** A folder of its own below the home. */
  folder: string;
  /** The repository in it. */
  store: string;
  /** What git remembers of the files, so that only those that changed are read. */
  indexFile: string;
  lockFile: string;
  /** Says which directory it is about; its time says when it was last used. */
  aboutFile: string;
};

/** One folder for each directory, with a name that people recognise and that no other directory has. */
export function placeFor(folder: string, directory: string): StorePlace {
  const name =
    basename(directory)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 40) || 'root';
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  return placeIn(join(folder, `${name}-${hash}`), directory);
}

export function placeIn(own: string, directory: string): StorePlace {
  return {
    directory,
    folder: own,
    store: join(own, 'store.git'),
    indexFile: join(own, 'index'),
    lockFile: join(own, 'lock'),
    aboutFile: join(own, 'about.json'),
  };
}

/** Why a directory has no checkpoints; undefined where it may have. `directory` is absolute, with links followed. */
export function refusalOf(directory: string, home: string, userHome = homedir()): string | undefined {
  if (dirname(directory) === directory) return 'the working directory is the root of the disk';
  if (isInside(directory, followed(userHome))) return 'the working directory holds your whole home folder';
  const own = followed(home);
  const isOwn = isInside(own, directory) && !isInside(join(own, 'worktrees'), directory);
  return isOwn ? `the working directory is in the home of Hermes, ${home}` : undefined;
}

/** As it is compared with a directory whose links were followed. */
export function followed(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** With links followed: however it was reached, it is one directory. */
export async function resolveDirectory(directory: string): Promise<string> {
  return realpath(directory).catch((thrown: unknown) => {
    throw new HermesError(`The directory ${directory} cannot be opened.`, { cause: thrown });
  });
}
