import { join, relative } from 'node:path';
import type { ContextFileMode } from '../../contracts/index.ts';
import type { TextScan } from '../../scanning/index.ts';
import { isInside } from '../../util/index.ts';
import { exists, type ProjectFiles, withParents } from './project-files.ts';
import { type ContextFile, readContextFile } from './read-context-file.ts';

export type Project = {
  files: ProjectFiles;
  directory: string;
  /** Undefined outside a repository; then only the working directory is searched. */
  gitRoot: string | undefined;
  /** Maximum characters of a context file with its imports. All Cursor rules share it. */
  limit: number;
  /** Links and imports that leave this directory are not followed; by default the repository or `directory`. */
  root?: string;
  /** Whether only the first kind of context file is used (default) or all kinds. */
  mode?: ContextFileMode | undefined;
  scan?: TextScan | undefined;
  warn(message: string): void;
};

const HERMES_NAMES = ['.hermes.md', 'HERMES.md'];
const CURSOR_FILE = '.cursorrules';
const CURSOR_FOLDER = '.cursor/rules';
const MAX_CURSOR_FILES = 40;
const MAX_CURSOR_DEPTH = 4;
/** A quick test whether a text may import files. */
const MAY_IMPORT = /(?<![^\s([{"'])@[^\s@]/;

/** A search for the files of one kind. `present` has those names that exist in the directory. */
type Kind = {
  names: readonly string[];
  find(project: Search, present: ReadonlySet<string>): Promise<ContextFile[]>;
};
/** `known` has the real paths of files that are in the prompt already. */
type Search = Project & { known: Set<string> };

/** All kinds of context files, in order of precedence. */
const KINDS: readonly Kind[] = [
  { names: HERMES_NAMES, find: findHermesFile },
  singleFile('AGENTS.md'),
  singleFile('CLAUDE.md'),
  { names: [CURSOR_FILE, CURSOR_FOLDER], find: findCursorFiles },
  singleFile('GEMINI.md'),
  singleFile('.github/copilot-instructions.md'),
];

/** Returns the files of the first kind that exists, or of all kinds, each followed by the files that it imports. */
export async function findContextFiles(project: Project): Promise<ContextFile[]> {
  const { files, directory } = project;
  const names = KINDS.flatMap((kind) => kind.names);
  const here = await Promise.all(names.map((name) => exists(files, join(directory, name))));
  return findKinds(project, new Set(names.filter((_, index) => here[index])));
}

/** Returns the context files of a subdirectory; parent directories are not searched. */
export async function findHintFiles(project: Omit<Project, 'gitRoot'>): Promise<ContextFile[]> {
  // One listing instead of one call per name, because the project may be on another machine.
  const entries = await project.files.list(project.directory).catch(() => []);
  const present = new Set(entries.map(({ name }) => name));
  if (present.has('.cursor')) present.add(CURSOR_FOLDER);
  return findKinds({ ...project, gitRoot: undefined }, present);
}

async function findKinds(project: Project, present: ReadonlySet<string>): Promise<ContextFile[]> {
  const search: Search = { ...project, known: new Set() };
  const all: ContextFile[] = [];
  for (const kind of KINDS) {
    const found = await kind.find(search, present);
    if (project.mode !== 'all' && found.length > 0) return found;
    // CLAUDE.md is often a link to AGENTS.md, or a copy.
    all.push(...found.filter(({ text }) => !all.some((other) => other.text === text)));
  }
  return all;
}

function singleFile(name: string): Kind {
  return {
    names: [name],
    async find(search, present) {
      return present.has(name) ? read(search, join(search.directory, name)) : [];
    },
  };
}

/** Finds the nearest `.hermes.md` or `HERMES.md`, from the directory up to the repository root. */
async function findHermesFile(search: Search, present: ReadonlySet<string>): Promise<ContextFile[]> {
  const { directory, gitRoot } = search;
  const candidates = withParents(directory).filter(
    (each) => each === directory || (gitRoot && isInside(gitRoot, each)),
  );
  for (const each of candidates) {
    for (const name of HERMES_NAMES) {
      if (each === directory && !present.has(name)) continue;
      const found = await read(search, join(each, name), true);
      if (found.length > 0) return found;
    }
  }
  return [];
}

/** All Cursor rules share one limit, because there can be many. */
async function findCursorFiles(search: Search, present: ReadonlySet<string>): Promise<ContextFile[]> {
  const names = present.has(CURSOR_FILE) ? [CURSOR_FILE] : [];
  if (present.has(CURSOR_FOLDER)) names.push(...(await listRules(search, CURSOR_FOLDER)));
  const found: ContextFile[] = [];
  let limit = search.limit;
  for (const name of names.slice(0, MAX_CURSOR_FILES)) {
    const added = await read({ ...search, limit }, join(search.directory, name));
    found.push(...added);
    limit = Math.max(500, limit - added.reduce((sum, { text }) => sum + text.length, 0));
  }
  return found;
}

/** The rules in a folder and its subfolders, sorted. */
async function listRules(search: Project, folder: string, depth = 1): Promise<string[]> {
  const entries = await search.files.list(join(search.directory, folder)).catch(() => []);
  const rules = entries.filter(({ name }) => name.endsWith('.mdc')).map(({ name }) => join(folder, name));
  const folders = depth < MAX_CURSOR_DEPTH ? entries.filter(({ kind }) => kind === 'directory') : [];
  const below: string[] = [];
  for (const name of folders
    .map((entry) => entry.name)
    .sort()
    .slice(0, MAX_CURSOR_FILES)) {
    below.push(...(await listRules(search, join(folder, name), depth + 1)));
  }
  return [...rules.sort(), ...below];
}

/** Reads a file and the files that it imports. */
async function read(search: Search, path: string, dropFrontMatter = false): Promise<ContextFile[]> {
  const { files, directory, gitRoot, limit, known, scan, warn, mode } = search;
  const real = mode === 'all' ? await files.resolvePath(path) : undefined;
  // Another file of the prompt imports this one.
  if (real !== undefined && known.has(real)) return [];
  const { root = gitRoot ?? directory } = search;
  const options = { files, root, limit, displayName: relative(directory, path), dropFrontMatter, scan, warn };
  const file = await readContextFile(path, options);
  if (file === undefined) return [];
  if (real !== undefined) known.add(real);
  if (file.blocked || !MAY_IMPORT.test(file.text)) return [file];
  const { followImports } = await import('./follow-imports.ts');
  return [file, ...(await followImports(file, { ...options, directory, known }))];
}
