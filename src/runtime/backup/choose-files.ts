import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What can be had again, or belongs to processes that run now. */
const NEVER = ['cache', 'processes', 'quarantine', 'node_modules', 'checkpoints', 'worktrees'];
/** What a quick backup leaves out: large, and nothing that anybody wrote. */
const NOT_QUICKLY = ['logs', 'trash'];

export type HomeFile = { path: string; isDatabase: boolean };

/** The files of a home that a backup has, by their paths in it, databases first: what they refer to is there already. */
export async function chooseFiles(home: string, options: { quick: boolean }): Promise<HomeFile[]> {
  const files = await walk(home, '', options.quick);
  return files.toSorted((a, b) => Number(b.isDatabase) - Number(a.isDatabase) || (a.path < b.path ? -1 : 1));
}

async function walk(home: string, below: string, quick: boolean): Promise<HomeFile[]> {
  const entries = await readdir(join(home, below), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<HomeFile[]> => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (isLeftOut(entry, below, quick)) return [];
      if (entry.isDirectory()) return walk(home, path, quick);
      return entry.isFile() ? [{ path, isDatabase: entry.name.endsWith('.db') }] : [];
    }),
  );
  return found.flat();
}

function isLeftOut(entry: Dirent, below: string, quick: boolean): boolean {
  // Each profile is a home of its own.
  const isTop = below === '' || /^profiles\/[^/]+$/.test(below);
  if (entry.isDirectory()) {
    const isAttachments = entry.name.endsWith('.db.blobs');
    return isTop && (NEVER.includes(entry.name) || (quick && (NOT_QUICKLY.includes(entry.name) || isAttachments)));
  }
  // A log of a database is part of the copy that SQLite makes; locks and half-written files belong to a process.
  return /\.db-(?:wal|shm|journal)$|\.lock$|\.tmp$/.test(entry.name);
}
