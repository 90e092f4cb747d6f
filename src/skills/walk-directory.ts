import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../base/index.ts';
import type { SkillFault } from '../contracts/index.ts';
import { isInside } from '../util/index.ts';

export const SKILL_FILE = 'SKILL.md';

/** The state of a file or folder. Uses ctime, which cannot be set back as mtime can. */
export type FileStamp = readonly [path: string, changedMs: number, size: number];

export type DirectoryWalk = {
  /** Folders in which skills can appear or disappear. */
  folders: FileStamp[];
  /** Folders with a SKILL.md, relative to the skill directory. */
  found: string[];
  faults: SkillFault[];
};

/** Two levels of categories below the skill directory. */
const MAX_DEPTH = 2;
const MAX_FOLDERS = 2_000;

/** Finds the skill folders in a skill directory without reading files. Skills are not searched for further skills. */
export function walkDirectory(location: string): DirectoryWalk {
  const walked: DirectoryWalk = { folders: [], found: [], faults: [] };
  const root = readStamp(location);
  if (root === undefined) return walked;
  if (hasSkillFile(location)) return { ...walked, folders: [root], found: [''] };
  visit(location, '', 0, walked);
  return walked;
}

function visit(place: string, relative: string, depth: number, walked: DirectoryWalk): void {
  const folder = join(place, relative);
  const seen = readStamp(folder);
  if (seen === undefined) return;
  if (walked.folders.length >= MAX_FOLDERS) {
    const isFirst = walked.folders.length === MAX_FOLDERS && !walked.faults.some((fault) => fault.place === place);
    if (isFirst)
      walked.faults.push({ place, reason: `it has more than ${MAX_FOLDERS} folders; the others are not read` });
    return;
  }
  // The stamp is taken before listing, so that a later change is detected by the next check.
  walked.folders.push(seen);
  for (const entry of listEntries(folder, walked)) {
    const path = join(relative, entry.name);
    if (entry.isSymbolicLink()) checkLink(place, path, walked);
    else if (!entry.isDirectory()) continue;
    else if (hasSkillFile(join(place, path))) walked.found.push(path);
    else if (depth < MAX_DEPTH) visit(place, path, depth + 1, walked);
  }
}

/** Sorted, so that the order is the same on every system. Hidden folders are not skills. */
function listEntries(folder: string, walked: DirectoryWalk): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (thrown) {
    walked.faults.push({ place: folder, reason: `it cannot be read: ${errorMessage(thrown)}` });
    return [];
  }
}

/**
 * Reports a link that leads outside the directory, because it could include any folder. A link to a skill inside the
 * directory is redundant and ignored.
 */
function checkLink(location: string, path: string, { faults }: DirectoryWalk): void {
  const link = join(location, path);
  try {
    const target = realpathSync(link);
    if (!hasSkillFile(target) || isInside(realpathSync(location), target)) return;
    const reason = `it is a symbolic link to a folder outside ${location}; to use it, add ${target} to skills.external_dirs`;
    faults.push({ place: link, reason });
  } catch {
    // A dangling link is not a skill.
  }
}

export function readStamp(path: string): FileStamp | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && [path, stats.ctimeMs, stats.isDirectory() ? 0 : stats.size];
}

function hasSkillFile(folder: string): boolean {
  try {
    return lstatSync(join(folder, SKILL_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
