import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../base/index.ts';
import type { SkillFault } from '../contracts/index.ts';
import { isInside } from '../util/index.ts';

export const SKILL_FILE = 'SKILL.md';

/** How a file or folder was when it was looked at. The time of the last change cannot be set back, as that of a write can. */
export type Seen = readonly [path: string, changedMs: number, size: number];

export type Walked = {
  /** Folders that can get or lose skills. */
  folders: Seen[];
  /** Folders with a SKILL.md, relative to the place. */
  found: string[];
  faults: SkillFault[];
};

/** A place, a category, and one inside of it. */
const DEEPEST = 2;
const MAX_FOLDERS = 2_000;

/** Finds the skill folders of a place. Nothing is read but names; a skill has no others inside of it. */
export function walkPlace(place: string): Walked {
  const walked: Walked = { folders: [], found: [], faults: [] };
  const root = see(place);
  if (root === undefined) return walked;
  if (hasSkillFile(place)) return { ...walked, folders: [root], found: [''] };
  visit(place, '', 0, walked);
  return walked;
}

function visit(place: string, relative: string, depth: number, walked: Walked): void {
  const folder = join(place, relative);
  const seen = see(folder);
  if (seen === undefined) return;
  if (walked.folders.length >= MAX_FOLDERS) {
    const isFirst = walked.folders.length === MAX_FOLDERS && !walked.faults.some((fault) => fault.place === place);
    if (isFirst) walked.faults.push({ place, reason: `it has more than ${MAX_FOLDERS} folders; the rest is not read` });
    return;
  }
  // Before the names are read: what comes later than this look is found by the next one.
  walked.folders.push(seen);
  for (const entry of namesIn(folder, walked)) {
    const path = join(relative, entry.name);
    if (entry.isSymbolicLink()) checkLink(place, path, walked);
    else if (!entry.isDirectory()) continue;
    else if (hasSkillFile(join(place, path))) walked.found.push(path);
    else if (depth < DEEPEST) visit(place, path, depth + 1, walked);
  }
}

/** In one order on every system. Hidden ones are ours, or those of other programs. */
function namesIn(folder: string, walked: Walked): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (thrown) {
    walked.faults.push({ place: folder, reason: `it cannot be read: ${errorMessage(thrown)}` });
    return [];
  }
}

/** A link inside a place shows what is found anyway; one that leads out would make any folder a part of it. */
function checkLink(place: string, path: string, { faults }: Walked): void {
  const link = join(place, path);
  try {
    const target = realpathSync(link);
    if (!hasSkillFile(target) || isInside(realpathSync(place), target)) return;
    const reason = `it is a link that leads out of ${place}; name ${target} in skills.external_dirs to use it`;
    faults.push({ place: link, reason });
  } catch {
    // A link that leads nowhere is no skill.
  }
}

export function see(path: string): Seen | undefined {
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
