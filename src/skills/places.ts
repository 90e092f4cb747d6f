import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { homePaths, type SkillSettings } from '../config/index.ts';
import type { SkillFault, SkillOrigin } from '../contracts/index.ts';
import { foldersOfProject } from '../util/index.ts';

/** A folder in which skills are looked for. */
export type SkillPlace = { origin: SkillOrigin; folder: string };

export type SkillPlaces = {
  /** In the order in which they count. */
  places: readonly SkillPlace[];
  /** Projects that have skills and were not trusted: nothing of them is read. */
  untrusted: readonly string[];
  faults: readonly SkillFault[];
};

export type PlaceOptions = { home: string; workingDirectory: string; settings: SkillSettings };

/** Where the shipped skills are, seen from a bundle and from the sources. */
const SHIPPED = ['skills', join('..', '..', 'skills')];
/** Where projects keep theirs: for us, and for any agent. */
const IN_PROJECT = [join('.hermes', 'skills'), join('.agents', 'skills')];

export function findPlaces({ home, workingDirectory, settings }: PlaceOptions): SkillPlaces {
  const user = homePaths(home).skillsFolder;
  const projects = settings.projectDiscovery ? findProjects(workingDirectory, user) : [];
  const isTrusted = trustOf(settings);
  const external = settings.externalDirs.map((folder) => resolve(home, expandTilde(folder)));
  const bundled = bundledFolder();
  return {
    places: [
      { origin: 'user', folder: user },
      ...projects.filter(({ project }) => isTrusted(project)).map(({ folder }) => place('project', folder)),
      ...external.map((folder) => place('external', folder)),
      ...(bundled === undefined ? [] : [place('bundled', bundled)]),
    ],
    untrusted: [...new Set(projects.map(({ project }) => project).filter((project) => !isTrusted(project)))],
    faults: external
      .filter((folder) => !existsSync(folder))
      .map((folder) => ({ place: folder, reason: 'it is named in skills.external_dirs and does not exist' })),
  };
}

const place = (origin: SkillOrigin, folder: string): SkillPlace => ({ origin, folder });

export function bundledFolder(): string | undefined {
  return SHIPPED.map((folder) => join(import.meta.dirname, folder)).find((folder) => existsSync(folder));
}

/** The folders with skills from here up to the root of the repository; without one only here. */
export function findProjects(workingDirectory: string, user: string): { project: string; folder: string }[] {
  return skillsIn(foldersOfProject(workingDirectory), user);
}

function skillsIn(projects: readonly string[], user: string): { project: string; folder: string }[] {
  return (
    projects
      .flatMap((project) => IN_PROJECT.map((folder) => ({ project, folder: join(project, folder) })))
      // Whoever works in the folder above the home meets their own skills there.
      .filter(({ folder }) => folder !== user && existsSync(folder))
  );
}

/** By where links lead: a trusted name must not be made to mean another folder. */
function trustOf({ trustedProjectDirs }: SkillSettings): (project: string) => boolean {
  if (trustedProjectDirs.length === 0) return () => false;
  const trusted = new Set(trustedProjectDirs.map((folder) => realPath(resolve(expandTilde(folder)))));
  return (project) => trusted.has(realPath(project));
}

export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function expandTilde(path: string): string {
  return path.replace(/^~(?=\/|$)/, homedir());
}
