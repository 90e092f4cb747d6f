import { join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { Skill, SkillFacts } from '../../contracts/index.ts';
import { BadSkill } from '../front-matter.ts';
import { type ScanReport, scanSkill } from '../guard/scan-skill.ts';
import { hashFiles, readFolder, type SkillFile } from '../guard/skill-folder.ts';
import { type LockEntry, readLock, sourceOf } from '../lock-file.ts';
import { readSkill } from '../read-skill.ts';
import { type FetchRequest, withFetched } from './fetch-source.ts';

/** The result of inspecting a skill without using it. */
export type SkillInspection = ScanReport & {
  facts: SkillFacts;
  /** Undefined for a skill that was only fetched for inspection. */
  folder: string | undefined;
  origin: Skill['origin'] | undefined;
  source: string | undefined;
  /** For a fetched skill: its folder in the source, and the commit or version. */
  path: string | undefined;
  version: string | undefined;
  files: { path: string; bytes: number }[];
  text: string;
};

/** Inspects a known skill, or any folder that contains one. */
export async function inspectSkill(
  home: string,
  skill: Pick<Skill, 'folder'> & Partial<Skill>,
): Promise<SkillInspection> {
  const { folder, origin } = skill;
  const look = await inspectFolder(folder, folder);
  const source = origin === 'user' ? sourceOf(homePaths(home).skillsFolder, look.facts.name) : undefined;
  return { ...look, folder, origin, source, path: undefined, version: undefined };
}

/** Inspects a skill that is not installed: fetches it, inspects it and discards it. */
export async function inspectSource(request: FetchRequest): Promise<SkillInspection> {
  return withFetched(request, async ({ source: { label }, folder, path, version }) => {
    const look = await inspectFolder(join(folder, path), label);
    return { ...look, folder: undefined, origin: undefined, source: label, path: path || undefined, version };
  });
}

async function inspectFolder(
  folder: string,
  name: string,
): Promise<ScanReport & Pick<SkillInspection, 'facts' | 'files' | 'text'>> {
  const { facts, body } = await readSkill(folder).catch((thrown: unknown) => {
    throw thrown instanceof BadSkill ? new HermesError(`${name} is not a valid skill: ${thrown.message}.`) : thrown;
  });
  const files = readFolder(folder);
  const listed = files.map(({ path, size }) => ({ path, bytes: size }));
  return { facts, files: listed, text: body, ...(await scanSkill(files)) };
}

export type AuditEntry = ScanReport & {
  name: string;
  origin: Skill['origin'];
  folder: string;
  source: string | undefined;
  version: string | undefined;
  /** Differences from the installed version; empty if there are none or the skill was not installed. */
  changes: string[];
};

/** Scans the current skills and reports changes since they were installed. */
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

/** Installed skills whose folder is missing. */
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
