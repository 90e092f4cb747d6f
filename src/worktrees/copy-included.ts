import { cp, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { UserGit } from './user-git.ts';

const LIST = '.worktreeinclude';
/** What somebody keeps beside a repository to work in it: settings and keys, not what programs fill. */
const MOST_FILES = 2_000;

/**
 * Copies files that git ignores, such as `.env`, where `.worktreeinclude` names them, in the words of a .gitignore. Only
 * files that are both named and ignored: everything else is in the worktree already, or not meant to be.
 */
export async function copyIncluded(git: UserGit, from: string, to: string): Promise<number> {
  if (!existsSync(join(from, LIST))) return 0;
  const list = async (...rules: string[]) =>
    (await git.look(from, 'ls-files', '--others', '--ignored', '-z', ...rules))?.split('\0').filter(Boolean) ?? [];
  const named = await list(`--exclude-from=${LIST}`);
  const ignored = new Set(await list('--exclude-standard'));
  const wanted = named.filter((path) => ignored.has(path)).slice(0, MOST_FILES);
  for (const path of wanted) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    // A link stays one, wherever it leads.
    await cp(join(from, path), join(to, path), { verbatimSymlinks: true, force: false });
  }
  return wanted.length;
}
