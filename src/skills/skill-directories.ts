import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { homePaths, type SkillSettings } from '../config/index.ts';
import type { SkillFault, SkillScope } from '../contracts/index.ts';
import { projectFolders } from '../util/index.ts';

/** A skill directory: a folder that is searched for skills. */
export type SkillDirectory = { origin: SkillScope; folder: string };

export type SkillDirectories = {
  /** In order of precedence. */
  directories: readonly SkillDirectory[];
  /** Projects with skills that are not trusted; their skills are not read. */
  untrusted: readonly string[];
  faults: readonly SkillFault[];
};

export type SkillDirectoryOptions = { home: string; workingDirectory: string; settings: SkillSettings };

/** The bundled skills, relative to the bundle and to the sources. */
const BUNDLED_FOLDERS = ['skills', join('..', '..', 'skills')];
/** Skill directories of a project: ours, and the one shared by all agents. */
const PROJECT_SKILL_FOLDERS = [join('.hermes', 'skills'), join('.agents', 'skills')];

export function findSkillDirectories({ home, workingDirectory, settings }: SkillDirectoryOptions): SkillDirectories {
  const user = homePaths(home).skillsFolder;
  const projects = settings.projectDiscovery ? findProjects(workingDirectory, user) : [];
  const isTrusted = createTrustCheck(settings);
  const external = settings.externalDirs.map((folder) => resolve(home, expandTilde(folder)));
  const bundled = bundledFolder();
  return {
    directories: [
      { origin: 'user', folder: user },
      ...projects.filter(({ project }) => isTrusted(project)).map(({ folder }) => skillDirectory('project', folder)),
      ...external.map((folder) => skillDirectory('external', folder)),
      ...(bundled === undefined ? [] : [skillDirectory('bundled', bundled)]),
    ],
    untrusted: [...new Set(projects.map(({ project }) => project).filter((project) => !isTrusted(project)))],
    faults: external
      .filter((folder) => !existsSync(folder))
      .map((folder) => ({ place: folder, reason: 'it is listed in skills.external_dirs but does not exist' })),
  };
}

const skillDirectory = (origin: SkillScope, folder: string): SkillDirectory => ({ origin, folder });

export function bundledFolder(): string | undefined {
  return BUNDLED_FOLDERS.map((folder) => join(import.meta.dirname, folder)).find((folder) => existsSync(folder));
}

/**
 * The skill directories from the working directory up to the root of the repository; outside a repository only here.
 */
export function findProjects(workingDirectory: string, user: string): { project: string; folder: string }[] {
  return projectSkillFolders(projectFolders(workingDirectory), user);
}

function projectSkillFolders(projects: readonly string[], user: string): { project: string; folder: string }[] {
  return (
    projects
      .flatMap((project) => PROJECT_SKILL_FOLDERS.map((folder) => ({ project, folder: join(project, folder) })))
      // If the project is the parent of the home directory, this folder is the user's own skill directory.
      .filter(({ folder }) => folder !== user && existsSync(folder))
  );
}

/** Compares real paths, so that a symbolic link cannot redirect a trusted path to another folder. */
function createTrustCheck({ trustedProjectDirs }: SkillSettings): (project: string) => boolean {
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
