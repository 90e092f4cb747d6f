import { existsSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { folderOf, type WorktreeRecord } from './records.ts';
import type { UserGit } from './user-git.ts';

/** What came of a worktree when it was left. */
export type WorktreeEnd =
  | { kind: 'removed' }
  /** Another program goes on in it. */
  | { kind: 'in use' }
  | { kind: 'kept'; commits: number; uncommitted: number };

/** Files that are changed or new, ignored ones left out; undefined where git cannot tell. */
export async function changesIn(git: UserGit, directory: string): Promise<number | undefined> {
  const status = await git.look(directory, 'status', '--porcelain', '--untracked-files=all');
  return status === undefined ? undefined : status.split('\n').filter(Boolean).length;
}

/** Nothing was committed, nothing is changed, and git itself agrees: then it is removed with its branch. */
export async function removeUnchanged(git: UserGit, folder: string, record: WorktreeRecord): Promise<WorktreeEnd> {
  const { path, branch, base } = record;
  if (!existsSync(path)) return removeGone(git, folder, record);
  const heads = await Promise.all([
    git.look(path, 'rev-parse', 'HEAD'),
    git.look(path, 'rev-parse', `refs/heads/${branch}`),
  ]);
  const uncommitted = await changesIn(git, path);
  const isSame = isWorktreeAt(await git.look(path, 'rev-parse', '--show-toplevel'), path);
  const commits = Number((await git.look(path, 'rev-list', '--count', 'HEAD', branch, `^${base}`)) ?? Number.NaN);
  const kept: WorktreeEnd = { kind: 'kept', commits: commits || 0, uncommitted: uncommitted ?? 0 };
  // The working tree it was made from may be a worktree itself, and gone.
  const common = resolve(path, (await git.look(path, 'rev-parse', '--git-common-dir')) ?? '.');
  if (!isSame || uncommitted !== 0 || heads.some((head) => head !== base)) return kept;
  // Without force, so that what came meanwhile, or what we overlooked, keeps it.
  if ((await git.look(common, 'worktree', 'remove', path)) === undefined) return kept;
  await git.look(common, 'branch', '--quiet', '-D', branch);
  await rm(folderOf(folder, record.id), { recursive: true, force: true });
  return { kind: 'removed' };
}

/** One whose folder is gone, or was never made. A branch with commits stays, and so does what is known of it. */
async function removeGone(git: UserGit, folder: string, record: WorktreeRecord): Promise<WorktreeEnd> {
  const { repository, branch, base } = record;
  if (existsSync(repository)) {
    const head = await git.look(repository, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    if (head !== undefined && head !== base) return { kind: 'kept', commits: 0, uncommitted: 0 };
    await git.look(repository, 'worktree', 'prune');
    if (head !== undefined) await git.look(repository, 'branch', '--quiet', '-D', branch);
  }
  await rm(folderOf(folder, record.id), { recursive: true, force: true });
  return { kind: 'removed' };
}

/** A folder whose link to the repository was deleted belongs to whatever repository is around it. */
function isWorktreeAt(top: string | undefined, path: string): boolean {
  return top !== undefined && realpathSync(top) === realpathSync(path);
}
