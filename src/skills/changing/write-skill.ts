import { cpSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import { ensurePrivateFolder, isInside, withFileLock, writeFileAtomic } from '../../util/index.ts';
import { readFolder, type SkillFile } from '../guard/skill-folder.ts';

/** Writes a file of a skill atomically. A symbolic link must not redirect the write out of the skill. */
export async function writeInside(folder: string, path: string, text: string): Promise<void> {
  await ensurePrivateFolder(folder);
  const parent = dirname(join(folder, path));
  await ensurePrivateFolder(parent);
  const isLink = lstatSync(join(folder, path), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (isLink || !isInside(realpathSync(folder), realpathSync(parent)))
    throw new HermesError(`${path} is outside the skill in ${folder}; nothing was written.`);
  await writeFileAtomic(join(folder, path), text);
}

/** Copies the regular files of a skill to another folder, which appears complete or not at all. */
export function copySkill(from: string, to: string): void {
  const fresh = join(dirname(to), `.new-${process.pid}`);
  try {
    writeFiles(fresh, readFolder(from));
    moveTo(fresh, to);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Skips symbolic links and devices, and writes no executable files. */
export function writeFiles(folder: string, files: readonly SkillFile[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { kind, path, bytes } of files) {
    if (kind !== 'file') continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), bytes, { mode: 0o600, flag: 'wx' });
  }
}

/** Holds a lock, so that only one process changes the user's skills at a time. */
export async function withSkillsLock<Value>(home: string, change: () => Promise<Value>): Promise<Value> {
  const { skillsFolder } = homePaths(home);
  await ensurePrivateFolder(skillsFolder);
  return withFileLock(join(skillsFolder, '.changing'), change);
}

/** Moves a file or folder to the trash and returns its new path. */
export function moveToTrash(home: string, path: string, name = basename(path)): string {
  const folder = join(homePaths(home).trashFolder, 'skills');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  // A unique folder, because two of the same name may be removed within a millisecond.
  const target = join(mkdtempSync(join(folder, `${name}-${stamp}-`)), basename(path));
  moveTo(path, target);
  return target;
}

/** Renames; across file systems, copies and then removes. */
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
