import { basename, dirname, join, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import type { Environment } from '../contracts/index.ts';

/** Folders that are never searched unless they are named. */
const ALWAYS_SKIPPED = new Set(['.git', 'node_modules', '.hg', '.svn', '__pycache__', '.venv']);
const MAX_PARENTS = 40;

type Rules = { folder: string; matcher: Ignore };

/** The ignore files that hold for a folder: its own and those above it, outermost first. */
export interface IgnoreScope {
  /** The scope of a folder inside this one. */
  enter(folder: string): Promise<IgnoreScope>;
  ignores(path: string, isFolder: boolean): boolean;
}

/** The scope in which a search begins. A folder that is itself ignored was named on purpose and is searched. */
export async function createIgnoreScope(root: string, environment: Environment): Promise<IgnoreScope> {
  const { default: createMatcher } = await import('ignore');

  async function rulesIn(folder: string): Promise<Rules[]> {
    const bytes = await environment.readFile(join(folder, '.gitignore')).catch(() => undefined);
    return bytes === undefined ? [] : [{ folder, matcher: createMatcher().add(new TextDecoder().decode(bytes)) }];
  }

  function scopeWith(rules: readonly Rules[]): IgnoreScope {
    return {
      enter: async (folder) => {
        const own = await rulesIn(folder);
        return own.length === 0 ? scopeWith(rules) : scopeWith([...rules, ...own]);
      },
      ignores: (path, isFolder) => (isFolder && ALWAYS_SKIPPED.has(basename(path))) || isIgnored(rules, path, isFolder),
    };
  }

  const above = (await Promise.all((await foldersUpToGit(root, environment)).map(rulesIn))).flat();
  return scopeWith(isIgnored(above, root, true) ? [] : above);
}

/** The folders above a root that belong to the same git checkout, outermost first; none outside of one. */
async function foldersUpToGit(root: string, environment: Environment): Promise<string[]> {
  const folders: string[] = [];
  let folder = root;
  for (let level = 0; level < MAX_PARENTS; level++) {
    if (await environment.stat(join(folder, '.git'))) return folders.reverse();
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
    folders.push(folder);
  }
  return [];
}

/** The innermost file that has something to say about a path decides. */
function isIgnored(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
  for (const { folder, matcher } of rules.toReversed()) {
    const inside = relative(folder, path).split(sep).join('/');
    if (inside === '' || inside.startsWith('..')) continue;
    const { ignored, unignored } = matcher.test(isFolder ? `${inside}/` : inside);
    if (ignored || unignored) return ignored;
  }
  return false;
}
