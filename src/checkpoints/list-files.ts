import { join, relative } from 'node:path';
import { HermesError } from '../base/index.ts';
import { isInside } from '../util/index.ts';
import type { StoreGit } from './store-git.ts';
import { resolveLinks, type StorePaths } from './store-paths.ts';

/** Default file limit. A directory with more files is hardly one project, and listing it would delay every turn. */
const MAX_FILES = 50_000;
/**
 * Generated folders that can be recreated from the stored files. A project that has sources under such a name includes
 * it with a line like `!dist/` in its .gitignore.
 */
const GENERATED_FILES = [
  'node_modules/',
  'bower_components/',
  '.yarn/cache/',
  '.pnpm-store/',
  'dist/',
  '.next/',
  '.nuxt/',
  '.turbo/',
  '.parcel-cache/',
  '.cache/',
  'coverage/',
  'venv/',
  '.venv/',
  '__pycache__/',
  '.mypy_cache/',
  '.pytest_cache/',
  '.ruff_cache/',
  '.tox/',
  '*.egg-info/',
  '.gradle/',
  '.terraform/',
  '.hg/',
  '.svn/',
  '.worktrees/',
  '.DS_Store',
];
/** Hermes's own records of turns, which a restore must not remove. */
const HERMES_FILES = ['trajectory_samples.jsonl', 'failed_trajectories.jsonl'];
/** Content of a store's `info/exclude`; the project's .gitignore files take precedence. */
export const EXCLUDED = `${[...GENERATED_FILES, ...HERMES_FILES].join('\n')}\n`;
/**
 * Content of a store's `info/attributes`, which overrides every .gitattributes: files are stored byte for byte, and no
 * filter is run.
 */
export const ATTRIBUTES = '* -text !eol -ident -filter !working-tree-encoding !diff !merge\n';

/** A path with one character per byte (latin1), because file names need not be valid text. */
export type BytePath = string;

export const bytesOf = (path: BytePath): Buffer => Buffer.from(path, 'latin1');

export const toBytePath = (text: string): BytePath => Buffer.from(text).toString('latin1');

/** Decodes a path for display. */
export const displayPath = (path: BytePath): string => bytesOf(path).toString();

export const splitNul = (output: Buffer): string[] => output.toString('latin1').split('\0').slice(0, -1);

export const joinNul = (paths: readonly BytePath[]): Buffer => bytesOf(paths.map((path) => `${path}\0`).join(''));

export type ListOptions = {
  place: StorePaths;
  git: StoreGit;
  excludes: readonly string[];
  home: string;
  maxFiles?: number;
};

/**
 * All files that are not ignored, relative to the directory. Git lists them, so its ignore rules apply. Git does not
 * descend into nested repositories, so each of them is listed separately.
 */
export async function listFiles(options: ListOptions): Promise<BytePath[]> {
  const { place, git, excludes, home, maxFiles = MAX_FILES } = options;
  const found: BytePath[] = [];
  const waiting: BytePath[] = [''];
  for (let below = waiting.shift(); below !== undefined; below = waiting.shift()) {
    const folder = below === '' ? place.directory : join(place.directory, displayPath(below));
    const patterns = [...excludes, ...ownFolders(folder, home)].map((pattern) => `--exclude=${pattern}`);
    let count = found.length;
    const output = await git
      .run(['ls-files', '--others', '--exclude-standard', '-z', ...patterns], {
        workTree: folder,
        shouldStop: (bytes) => (count += countNuls(bytes)) > maxFiles,
      })
      .then((result) =>
        result.code === 0 || count > maxFiles ? result.output : Promise.reject(failed(result.errors)),
      );
    if (count > maxFiles) throw tooMany(place, maxFiles);
    for (const path of splitNul(output)) {
      if (path.endsWith('/')) waiting.push(below + path);
      else found.push(below + path);
    }
  }
  return found;
}

/** Excludes a home directory inside the directory: it contains keys, and a database that must not be copied. */
function ownFolders(folder: string, home: string): string[] {
  const own = resolveLinks(home);
  return isInside(folder, own) && own !== folder ? [patternOf(relative(folder, own))] : [];
}

function countNuls(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) count += 1;
  return count;
}

function failed(errors: string): HermesError {
  return new HermesError(`Could not list the files: ${errors}`);
}

/** A directory that is too large for checkpoints. */
export class TooManyFiles extends HermesError {}

function tooMany({ directory }: StorePaths, maxFiles: number): HermesError {
  return new TooManyFiles(`${directory} has more than ${maxFiles.toLocaleString('en')} files.`, {
    hint: 'Exclude folders with checkpoints.excludes or a .gitignore, or start Hermes in the folder of one project.',
  });
}

/** An exclude pattern that matches exactly one path. */
function patternOf(path: string): string {
  return `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
}
