import { lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import { ensurePrivateFolder, isInside, writeFileAtomic } from '../../util/index.ts';
import { readFolder, type SkillFile } from '../guard/skill-folder.ts';
import { moveTo } from '../trash.ts';

/** Writes a file of a skill in one step. A link on the way must not lead the text out of the skill. */
export async function writeInside(folder: string, path: string, text: string): Promise<void> {
  await ensurePrivateFolder(folder);
  const parent = dirname(join(folder, path));
  await ensurePrivateFolder(parent);
  const isLink = lstatSync(join(folder, path), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (isLink || !isInside(realpathSync(folder), realpathSync(parent)))
    throw new HermesError(`${path} leads out of the skill in ${folder}; nothing was written.`);
  await writeFileAtomic(join(folder, path), text);
}

/** The plain files of a skill in another folder, which is there whole or not at all. */
export function copySkill(from: string, to: string): void {
  const fresh = join(dirname(to), `.new-${process.pid}`);
  try {
    writeFiles(fresh, readFolder(from));
    moveTo(fresh, to);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Links and devices are left behind, and nothing stays executable. */
export function writeFiles(folder: string, files: readonly SkillFile[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { kind, path, bytes } of files) {
    if (kind !== 'file') continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), bytes, { mode: 0o600, flag: 'wx' });
  }
}
