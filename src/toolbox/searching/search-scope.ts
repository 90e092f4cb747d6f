import { basename, relative, sep } from 'node:path';
import { unlessIsolated } from '../../approvals/index.ts';
import type { Environment, FileStat, ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { expandBraces } from '../../util/index.ts';
import type { SearchArguments } from '../search-files.ts';
import { rejectNul } from '../text-file.ts';
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

/** Which files to search. Both engines apply it in the same way. */
export type SearchScope = {
  root: string;
  found: FileStat;
  environment: Environment;
  signal: AbortSignal;
  /** In terms of the monotonic clock. */
  deadline: number;
  /** Whether hidden files are included. */
  hidden: boolean;
  /**
   * Whether ignore files above the root apply. They do not apply if they would ignore the root that the caller named.
   */
  parents: boolean;
  /** A glob that narrows the search early; `accepts` still decides. */
  nameGlob: string | undefined;
  /** Whether a file below the root is in scope. */
  accepts(path: string): boolean;
  /** How many files were skipped because they hold credentials. */
  skippedSecretFiles(): number;
};

export async function openScope(args: SearchArguments, context: ToolContext): Promise<SearchScope> {
  const { path, file_glob: glob, pattern, target } = args;
  rejectNul(path);
  if (`${pattern}${glob ?? ''}`.includes('\0')) {
    throw new ToolFailure('A pattern cannot contain a NUL character; write \\x00 instead.');
  }
  const { environment, signal, approvals } = context;
  return explainFileErrors(path, 'search', async () => {
    const root = await environment.resolvePath(path);
    const found = await environment.stat(root);
    if (!found) throw new ToolFailure(`File or directory not found: ${path}.`);
    if (found.kind === 'other') throw new ToolFailure(`${path} is a device, pipe or socket, not a file or directory.`);
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
      skippedSecretFiles: () => withheld.size,
    };
  });
}

/** A glob with a leading dot asks for hidden files. */
function namesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.[^./]/.test(glob);
}

function isHidden(root: string, file: string): boolean {
  return relative(root, file)
    .split(sep)
    .some((part) => part.startsWith('.') && part !== '..');
}

/** Formats paths relative to the directory that the model's own paths are relative to. */
export function createPathNames(base: string): (path: string) => string {
  return (path) => {
    const inside = relative(base, path);
    return inside === '' || inside.startsWith('..') ? path : inside;
  };
}

/** Whether a path below the root matches a glob. */
type PathFilter = (path: string) => boolean;

/** A glob without a slash matches names at any depth; a leading `!` negates it. */
export async function createPathFilter(glob: string, root: string, caseSensitive: boolean): Promise<PathFilter> {
  if (glob.startsWith('!')) {
    const excluded = await createPathFilter(glob.slice(1), root, caseSensitive);
    return (path) => !excluded(path);
  }
  const { default: createMatcher } = await import('ignore');
  // Ignore patterns do not support braces, so the braces of the glob are expanded first.
  const plain = glob.replace(/^\.\//, '').replace(/\{([^{},]*)\}/g, '$1');
  const matcher = createMatcher({ ignorecase: !caseSensitive }).add(expandBraces(plain));
  const namesOnly = !plain.includes('/');
  return (path) => {
    // If the root is a file, only its name can match.
    const below = namesOnly ? basename(path) : relative(root, path).split(sep).join('/') || basename(path);
    return matcher.ignores(below);
  };
}

/** A matching line or a context line. */
export type FoundLine = { number: number; text: string; isMatch: boolean };
export type FileMatches = { path: string; lines: FoundLine[] };

/** Whether a search completed, or stopped at its limits. */
export type SearchEnd = { complete: boolean };

/** Receives results in path order; returns whether to continue. */
export type ResultHandler<Found> = (found: Found) => boolean;

/** A search engine. All engines return the same results in the same order. */
export interface SearchEngine {
  /** Lists the files of a scope. */
  findFiles(scope: SearchScope, take: ResultHandler<string>): Promise<SearchEnd>;
  /** Finds matching lines, with `around` lines of context. */
  findLines(
    scope: SearchScope,
    pattern: SearchPattern,
    around: number,
    take: ResultHandler<FileMatches>,
  ): Promise<SearchEnd>;
}

/** The engine is not available or does not support the pattern; try the next one. */
export class EngineUnavailable extends Error {}
