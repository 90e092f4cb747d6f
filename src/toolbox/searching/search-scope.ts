import { basename, relative, sep } from 'node:path';
import { unlessIsolated } from '../../approvals/index.ts';
import type { Environment, FileStat, ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { expandBraces } from '../../util/index.ts';
import type { SearchArguments } from '../search-files.ts';
import { refuseNul } from '../text-file.ts';
import { explainFileErrors } from '../text/file-errors.ts';
import { isRootIgnored } from './ignore-rules.ts';
import type { SearchPattern } from './search-pattern.ts';

/** Limits that keep one search from running for minutes. */
const TIME_LIMIT_MS = 20_000;
export const MAX_FILES = 50_000;
export const MAX_FILE_SIZE = 5 * 1024 * 1024;
export const MAX_CONTEXT = 20;

/** Folders that are never searched unless they are named. */
export const SKIPPED_FOLDERS: readonly string[] = ['.git', 'node_modules', '.hg', '.svn', '__pycache__', '.venv'];

/** Which files a search looks at; both engines keep to it. */
export type SearchScope = {
  root: string;
  found: FileStat;
  environment: Environment;
  signal: AbortSignal;
  /** By the monotonic clock. */
  deadline: number;
  /** Whether names that begin with a dot belong to it. */
  hidden: boolean;
  /** Ignore files above the root count; not where they ignore the root itself, which was named on purpose. */
  parents: boolean;
  /** A glob for names that narrows the search beforehand; `accepts` still decides. */
  nameGlob: string | undefined;
  /** Whether a file below the root belongs to it. */
  accepts(path: string): boolean;
  /** How many files were left out because they hold credentials. */
  withheld(): number;
};

export async function openScope(args: SearchArguments, context: ToolContext): Promise<SearchScope> {
  const { path, file_glob: glob, pattern, target } = args;
  refuseNul(path);
  if (`${pattern}${glob ?? ''}`.includes('\0')) {
    throw new ToolFailure('A pattern cannot contain a NUL character; \\x00 stands for one.');
  }
  const { environment, signal, approvals } = context;
  return explainFileErrors(path, 'search', async () => {
    const root = await environment.resolvePath(path);
    const found = await environment.stat(root);
    if (!found) throw new ToolFailure(`There is no file or folder ${path}.`);
    if (found.kind === 'other') throw new ToolFailure(`${path} is a device, pipe or socket, not a file or folder.`);
    const hidden = namesHidden(glob ?? '') || (target === 'files' && namesHidden(pattern));
    const filter: PathFilter = glob === undefined ? () => true : await createPathFilter(glob, root, true);
    const withheld = new Set<string>();
    return {
      root,
      found,
      environment,
      signal,
      hidden,
      deadline: performance.now() + TIME_LIMIT_MS,
      parents: found.kind === 'directory' && !(await isRootIgnored(root, environment)),
      nameGlob: glob !== undefined && /^[\w.*?{},-]+$/.test(glob) ? glob : undefined,
      accepts(file) {
        if (!filter(file) || (!hidden && isHidden(root, file))) return false;
        const allowed = unlessIsolated(approvals.judgeRead(file), environment).verdict === 'allow';
        if (!allowed) withheld.add(file);
        return allowed;
      },
      withheld: () => withheld.size,
    };
  });
}

/** Whoever writes the dot wants what it hides. */
function namesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.[^./]/.test(glob);
}

function isHidden(root: string, file: string): boolean {
  return relative(root, file)
    .split(sep)
    .some((part) => part.startsWith('.') && part !== '..');
}

/** A path as the model should read and use it: from the directory where its own paths start. */
export function createPathNames(base: string): (path: string) => string {
  return (path) => {
    const inside = relative(base, path);
    return inside === '' || inside.startsWith('..') ? path : inside;
  };
}

/** Whether a path below a root fits a glob. */
type PathFilter = (path: string) => boolean;

/** A glob without a slash is for names at any depth; one with `!` in front is for all that does not fit. */
export async function createPathFilter(glob: string, root: string, caseSensitive: boolean): Promise<PathFilter> {
  if (glob.startsWith('!')) {
    const excluded = await createPathFilter(glob.slice(1), root, caseSensitive);
    return (path) => !excluded(path);
  }
  const { default: createMatcher } = await import('ignore');
  // Globs know {a,b} and {a}, ignore files do not.
  const plain = glob.replace(/^\.\//, '').replace(/\{([^{},]*)\}/g, '$1');
  const matcher = createMatcher({ ignorecase: !caseSensitive }).add(expandBraces(plain));
  const namesOnly = !plain.includes('/');
  return (path) => {
    // A root that is itself a file has no path below the root, only a name.
    const below = namesOnly ? basename(path) : relative(root, path).split(sep).join('/') || basename(path);
    return matcher.ignores(below);
  };
}

/** A line of a file that matches, or that stands near one that does. */
export type FoundLine = { number: number; text: string; isMatch: boolean };
export type FileMatches = { path: string; lines: FoundLine[] };

/** Whether a search came to its end, or was ended by its limits. */
export type SearchEnd = { complete: boolean };

/** Takes what is found, in the order of paths; says whether to go on. */
export type Take<Found> = (found: Found) => boolean;

/** Something that searches. All of them find the same, in the same order. */
export interface SearchEngine {
  /** All files of a scope. */
  findFiles(scope: SearchScope, take: Take<string>): Promise<SearchEnd>;
  /** Lines that match, with `around` lines before and after each. */
  findLines(scope: SearchScope, pattern: SearchPattern, around: number, take: Take<FileMatches>): Promise<SearchEnd>;
}

/** This engine is not there, or cannot do this; another can. */
export class EngineUnavailable extends Error {}
