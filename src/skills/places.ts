import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { homePaths, type SkillSettings } from '../config/index.ts';
import type { SkillFault, SkillOrigin } from '../contracts/index.ts';
import { foldersOfProject } from '../util/index.ts';

/** A skill directory: a folder that is searched for skills. */
export type SkillPlace = { origin: SkillOrigin; folder: string };

export type SkillPlaces = {
  /** In order of precedence. */
  places: readonly SkillPlace[];
  /** Projects with skills that are not trusted; their skills are not read. */
  untrusted: readonly string[];
  faults: readonly SkillFault[];
};

export type PlaceOptions = { home: string; workingDirectory: string; settings: SkillSettings };

/** The bundled skills, relative to the bundle and to the sources. */
const SHIPPED = ['skills', join('..', '..', 'skills')];
/** Skill directories of a project: ours, and the one shared by all agents. */
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
      .map((folder) => ({ place: folder, reason: 'it is listed in skills.external_dirs but does not exist' })),
  };
}

const place = (origin: SkillOrigin, folder: string): SkillPlace => ({ origin, folder });

export function bundledFolder(): string | undefined {
  return SHIPPED.map((folder) => join(import.meta.dirname, folder)).find((folder) => existsSync(folder));
}

/**
 * The skill directories from the working directory up to the root of the repository; outside a repository only here.
 */
export function findProjects(workingDirectory: string, user: string): { project: string; folder: string }[] {
  return skillsIn(foldersOfProject(workingDirectory), user);
}

function skillsIn(projects: readonly string[], user: string): { project: string; folder: string }[] {
  return (
    projects
      .flatMap((project) => IN_PROJECT.map((folder) => ({ project, folder: join(project, folder) })))
      // In the parent directory of the home directory, this folder would be the user's own skill directory.
      .filter(({ folder }) => folder !== user && existsSync(folder))
  );
}

/** Compares real paths, so that a symbolic link cannot redirect a trusted path to another folder. */
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
