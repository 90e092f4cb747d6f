import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { homePaths } from '../config/index.ts';

/** Moves a file or folder where it can be had back; the place it has then. */
export function moveToTrash(home: string, path: string, name = basename(path)): string {
  const folder = join(homePaths(home).trashFolder, 'skills');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  // A folder of its own, because two of one name may go within a millisecond.
  const target = join(mkdtempSync(join(folder, `${name}-${stamp}-`)), basename(path));
  moveTo(path, target);
  return target;
}

/** A rename; across file systems, which links and mounts make possible, a copy and then a removal. */
export function moveTo(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    renameSync(from, to);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EXDEV') throw thrown;
    cpSync(from, to, { recursive: true, errorOnExist: true, verbatimSymlinks: true });
    rmSync(from, { recursive: true, force: true });
  }
}
