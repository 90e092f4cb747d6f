import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What can be had again, or belongs to processes that run now. */
const NEVER = ['cache', 'processes', 'quarantine', 'node_modules', 'checkpoints', 'worktrees'];
/** What a quick backup leaves out: large, and nothing that anybody wrote. */
const NOT_QUICKLY = ['logs', 'trash'];

export type HomeFile = { path: string; isDatabase: boolean };

export type ChosenFiles = { files: HomeFile[]; links: string[] };

/**
 * The files of a home that a backup has, by their paths in it, databases first: what they refer to is there already; and
 * the links whose targets it does not have.
 */
export async function chooseFiles(home: string, options: { quick: boolean }): Promise<ChosenFiles> {
  const found = await walk(home, '', options.quick);
  const files = found.filter((one) => 'isDatabase' in one);
  return {
    files: files.toSorted((a, b) => Number(b.isDatabase) - Number(a.isDatabase) || (a.path < b.path ? -1 : 1)),
    links: found.flatMap((one) => ('link' in one ? [one.link] : [])).toSorted(),
  };
}

type Found = HomeFile | { link: string };

async function walk(home: string, below: string, quick: boolean): Promise<Found[]> {
  const entries = await readdir(join(home, below), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<Found[]> => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (isLeftOut(entry, below, quick)) return [];
      if (entry.isDirectory()) return walk(home, path, quick);
      const isOurs = entry.isFile() || (isTop(below) && (await leadsToFile(join(home, path))));
      if (isOurs) return [{ path, isDatabase: entry.name.endsWith('.db') }];
      return entry.isSymbolicLink() ? [{ link: path }] : [];
    }),
  );
  return found.flat();
}

/** Who keeps settings in a folder of their own has links to them in the home. Further down a link could lead anywhere. */
async function leadsToFile(path: string): Promise<boolean> {
  return stat(path).then(
    (target) => target.isFile(),
    () => false,
  );
}

/** Each profile is a home of its own. */
function isTop(below: string): boolean {
  return below === '' || /^profiles\/[^/]+$/.test(below);
}

function isLeftOut(entry: Dirent, below: string, quick: boolean): boolean {
  if (entry.isDirectory()) {
    const isAttachments = entry.name.endsWith('.db.blobs');
    return (
      isTop(below) && (NEVER.includes(entry.name) || (quick && (NOT_QUICKLY.includes(entry.name) || isAttachments)))
    );
  }
  // A log of a database is part of the copy that SQLite makes; locks and half-written files belong to a process.
  return /\.db-(?:wal|shm|journal)$|\.lock$|\.tmp$/.test(entry.name);
}
