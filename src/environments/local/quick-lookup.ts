import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Environment, FileStat } from '../../contracts/index.ts';
import { isWithinAny } from './sandbox-mounts.ts';

type Lookup = Pick<Environment, 'stat' | 'resolvePath'>;

export type QuickLookupOptions = {
  workingDirectory: string;
  hidden: readonly string[];
  currentDirectory(): string;
};

/**
 * Answers questions about paths in the working directory without starting a sandbox, which every command would wait
 * for. Inside it the paths lead to the same files, unless they are hidden or contain links; those are looked up in the
 * sandbox.
 */
export function withQuickLookup(slow: Lookup, options: QuickLookupOptions): Lookup {
  return {
    async stat(path) {
      const found = walk(path, options);
      return found === undefined ? slow.stat(path) : describe(found.stat);
    },
    async resolvePath(path) {
      return walk(path, options)?.path ?? slow.resolvePath(path);
    },
  };
}

/** The file at a path; undefined if that takes more than going down from the working directory. */
function walk(path: string, options: QuickLookupOptions): { path: string; stat: Stats } | undefined {
  const { workingDirectory, hidden, currentDirectory } = options;
  const whole = path.startsWith('/') ? path : join(currentDirectory(), path);
  if (/^~|(?:^|\/)\.\.(?:\/|$)|\0/.test(path) || !isWithinAny(whole, [workingDirectory])) return undefined;
  if (isWithinAny(whole, hidden)) return undefined;
  let at = workingDirectory;
  let stat = lstatSync(at, { throwIfNoEntry: false });
  for (const part of whole.slice(workingDirectory.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (!stat?.isDirectory()) return undefined;
    at = join(at, part);
    stat = lstatSync(at, { throwIfNoEntry: false });
  }
  return stat === undefined || stat.isSymbolicLink() ? undefined : { path: at, stat };
}

function describe(stat: Stats): FileStat {
  const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
  return { kind, size: stat.size, modifiedMs: stat.mtimeMs };
}
