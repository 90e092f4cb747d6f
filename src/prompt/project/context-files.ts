import { join, relative } from 'node:path';
import type { TextScan } from '../../scanning/index.ts';
import { isInside } from '../../util/index.ts';
import { exists, type ProjectFiles, withParents } from './project-files.ts';
import { type ContextFile, readContextFile } from './read-context-file.ts';

export type Project = {
  files: ProjectFiles;
  directory: string;
  /** Undefined outside a repository; then only the working directory is searched. */
  gitRoot: string | undefined;
  limit: number;
  scan?: TextScan | undefined;
  warn(message: string): void;
};

const HERMES_NAMES = ['.hermes.md', 'HERMES.md'];
const PLAIN_NAMES = ['AGENTS.md', 'CLAUDE.md'];
const CURSOR_FILE = '.cursorrules';
const CURSOR_FOLDER = '.cursor/rules';
const MAX_CURSOR_FILES = 40;

/** Returns the files of the first kind that exists: a single file, or all Cursor rules. */
export async function findContextFiles(project: Project): Promise<ContextFile[]> {
  const { files, directory } = project;
  const names = [...HERMES_NAMES, ...PLAIN_NAMES, CURSOR_FILE, CURSOR_FOLDER];
  const here = await Promise.all(names.map((name) => exists(files, join(directory, name))));
  const present = new Set(names.filter((_, index) => here[index]));
  const ours = await findHermesFile(project, present);
  if (ours) return [ours];
  for (const name of PLAIN_NAMES.filter((each) => present.has(each))) {
    const file = await read(project, join(directory, name));
    if (file) return [file];
  }
  return present.has(CURSOR_FILE) || present.has(CURSOR_FOLDER) ? findCursorFiles(project) : [];
}

/** Returns the context file of a subdirectory; parent directories are not searched. */
export async function findHintFile(project: Project): Promise<ContextFile | undefined> {
  // One listing instead of one call per name, because the project may be on another machine.
  const entries = await project.files.list(project.directory).catch(() => []);
  const present = new Set(entries.map(({ name }) => name));
  for (const name of [...HERMES_NAMES, ...PLAIN_NAMES, CURSOR_FILE].filter((each) => present.has(each))) {
    const file = await read(project, join(project.directory, name), HERMES_NAMES.includes(name));
    if (file) return file;
  }
  return undefined;
}

/** Finds the nearest `.hermes.md` or `HERMES.md`, from the directory up to the repository root. */
async function findHermesFile(project: Project, present: ReadonlySet<string>): Promise<ContextFile | undefined> {
  const { directory, gitRoot } = project;
  const candidates = withParents(directory).filter(
    (each) => each === directory || (gitRoot && isInside(gitRoot, each)),
  );
  for (const each of candidates) {
    for (const name of HERMES_NAMES) {
      if (each === directory && !present.has(name)) continue;
      const file = await read(project, join(each, name), true);
      if (file) return file;
    }
  }
  return undefined;
}

/** All Cursor rules share one limit, because there can be many. */
async function findCursorFiles(project: Project): Promise<ContextFile[]> {
  const { files, directory } = project;
  const entries = await files.list(join(directory, CURSOR_FOLDER)).catch(() => []);
  const rules = entries.map(({ name }) => name).filter((name) => name.endsWith('.mdc'));
  const names = [CURSOR_FILE, ...rules.sort().map((name) => join(CURSOR_FOLDER, name))];
  const found: ContextFile[] = [];
  let limit = project.limit;
  for (const name of names.slice(0, MAX_CURSOR_FILES)) {
    const file = await read({ ...project, limit }, join(directory, name));
    if (file === undefined) continue;
    found.push(file);
    limit = Math.max(500, limit - file.text.length);
  }
  return found;
}

function read(project: Project, path: string, dropFrontMatter = false): Promise<ContextFile | undefined> {
  const { files, directory, gitRoot, limit, scan, warn } = project;
  const shownAs = relative(directory, path);
  return readContextFile(path, {
    files,
    root: gitRoot ?? directory,
    limit,
    displayName: shownAs,
    dropFrontMatter,
    scan,
    warn,
  });
}
