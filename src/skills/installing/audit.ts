import { homePaths } from '../../config/index.ts';
import type { Skill } from '../../contracts/index.ts';
import { hashFiles, readFolder, type SkillFile } from '../guard/skill-folder.ts';
import { type ScanReport, scanSkill } from '../guard/scan-skill.ts';
import { type LockEntry, readLock } from '../lock-file.ts';

export type AuditEntry = ScanReport & {
  name: string;
  origin: Skill['origin'];
  folder: string;
  source: string | undefined;
  version: string | undefined;
  /** What differs from what was installed; empty where nothing does, or where it was not installed. */
  changes: string[];
};

/** Scans skills as they are now, and says what changed since they were installed. */
export async function auditSkills(home: string, skills: readonly Skill[]): Promise<AuditEntry[]> {
  const lock = readLock(homePaths(home).skillsFolder);
  const entries: AuditEntry[] = [];
  for (const { name, origin, folder } of skills) {
    const files = readFolder(folder);
    const installed = origin === 'user' ? lock[name] : undefined;
    const report = await scanSkill(files);
    const changes = installed === undefined ? [] : changesSince(installed, files);
    entries.push({ name, origin, folder, source: installed?.source, version: installed?.version, changes, ...report });
  }
  return entries;
}

/** Installed ones whose folder is gone. */
export function missingSkills(home: string, skills: readonly Skill[]): string[] {
  const there = new Set(skills.filter(({ origin }) => origin === 'user').map(({ name }) => name));
  return Object.keys(readLock(homePaths(home).skillsFolder)).filter((name) => !there.has(name));
}

function changesSince({ files: before }: LockEntry, files: readonly SkillFile[]): string[] {
  const now = hashFiles(files).files;
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted();
  return names.flatMap((name) => {
    if (before[name] === now[name]) return [];
    if (before[name] === undefined) return [`${name} was added`];
    return [now[name] === undefined ? `${name} was removed` : `${name} was changed`];
  });
}
