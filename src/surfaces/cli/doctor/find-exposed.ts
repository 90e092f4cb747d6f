import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file or folder that others can get at, and what they can do there. */
export type Exposed = { path: string; mode: number; can: 'read' | 'change' };

/** Who besides the owner gets as far as a folder: its group, and all others. */
type Reach = { group: boolean; others: boolean };

/**
 * The first thing at a path that others can really read or change. What is open in a folder that lets nobody in is not
 * exposed, and neither is a folder that others can look at when all that is in it is closed to them.
 */
export function findExposed(path: string): Exposed | undefined {
  // Windows has no such modes; what Node shows there says nothing.
  if (process.platform === 'win32') return undefined;
  return search(path, reachOf(dirname(path)));
}

/** Whether others can put another file in the place of any that is in a folder. */
export function findOpenFolder(folder: string): Exposed | undefined {
  return process.platform === 'win32' ? undefined : judge(folder, statSync(folder), reachOf(dirname(folder)));
}

function search(path: string, reach: Reach): Exposed | undefined {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return judge(path, stats, reach) ?? (stats.isDirectory() ? searchFolder(path, into(reach, stats.mode)) : undefined);
}

/** A file or folder by itself. Which names are in a folder tells nothing worth keeping. */
function judge(path: string, stats: Stats, reach: Reach): Exposed | undefined {
  const mode = stats.mode & 0o7777;
  const { group, others } = stats.isDirectory() ? into(reach, mode) : reach;
  const allows = (bit: number) => (group && (mode & (bit << 3)) > 0) || (others && (mode & bit) > 0);
  // In a folder with the sticky bit everyone can change only what is their own.
  if (allows(0o2) && (mode & 0o1000) === 0) return { path, mode, can: 'change' };
  return allows(0o4) && !stats.isDirectory() ? { path, mode, can: 'read' } : undefined;
}

function searchFolder(folder: string, reach: Reach): Exposed | undefined {
  if (!reach.group && !reach.others) return undefined;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const found = isOwn(entry) ? search(join(folder, entry.name), reach) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

// A link says nothing about what it leads to, and that is not ours to judge.
function isOwn(entry: Dirent): boolean {
  return entry.isFile() || entry.isDirectory();
}

function reachOf(folder: string): Reach {
  const above = dirname(folder);
  const reach = above === folder ? { group: true, others: true } : reachOf(above);
  return into(reach, statSync(folder).mode);
}

function into({ group, others }: Reach, mode: number): Reach {
  return { group: group && (mode & 0o010) > 0, others: others && (mode & 0o001) > 0 };
}
