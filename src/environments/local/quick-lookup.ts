import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Environment, FileStat } from '../../contracts/index.ts';
import { isWithinAny } from './sandbox-view.ts';

type Lookup = Pick<Environment, 'stat' | 'resolvePath'>;

export type QuickLookupOptions = {
  workingDirectory: string;
  hidden: readonly string[];
  /** Folders whose content is not visible or not the same in the sandbox. */
  replaced: readonly string[];
  currentDirectory(): string;
};

/**
 * Answers questions about paths without starting a sandbox, which every command would wait for. Inside it the paths lead
 * to the same files, unless they are hidden, replaced or contain links; those are looked up in the sandbox.
 */
export function withQuickLookup(slow: Lookup, options: QuickLookupOptions): Lookup {
  return {
    async stat(path) {
      const found = walk(path, options);
      if (found === undefined) return slow.stat(path);
      return found.stat && describe(found.stat);
    },
    async resolvePath(path) {
      return walk(path, options)?.path ?? slow.resolvePath(path);
    },
  };
}

/** The file at a path, which may be missing; undefined if that takes more than following its folders. */
function walk(path: string, options: QuickLookupOptions): { path: string; stat: Stats | undefined } | undefined {
  const { workingDirectory, hidden, replaced, currentDirectory } = options;
  if (/^~|(?:^|\/)\.\.(?:\/|$)|\0/.test(path)) return undefined;
  const whole = path.startsWith('/') ? path : join(currentDirectory(), path);
  const isInside = isWithinAny(whole, [workingDirectory]);
  if (isWithinAny(whole, hidden) || (!isInside && isWithinAny(whole, replaced))) return undefined;
  // The path of the working directory has no links.
  let at = isInside ? workingDirectory : '/';
  let stat = statOf(at);
  if (stat === 'unknown') return undefined;
  for (const part of whole.slice(at === '/' ? 0 : at.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (stat !== undefined && !stat.isDirectory()) return undefined;
    at = join(at, part);
    stat = stat && statOf(at);
    if (stat === 'unknown' || stat?.isSymbolicLink()) return undefined;
  }
  return { path: at, stat };
}

function statOf(path: string): Stats | undefined | 'unknown' {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return 'unknown';
  }
}

function describe(stat: Stats): FileStat {
  const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
  return { kind, size: stat.size, modifiedMs: stat.mtimeMs };
}
