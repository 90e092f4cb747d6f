import { existsSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { folderOf, type WorktreeRecord } from './records.ts';
import type { UserGit } from './user-git.ts';

/** What happened to a worktree when a process stopped using it. */
export type WorktreeOutcome =
  | { kind: 'removed' }
  /** Another process still uses it. */
  | { kind: 'in use' }
  | { kind: 'kept'; commits: number; uncommitted: number };

/**
 * Git would compare the files of submodules with the configuration that it finds in them, which a command in the
 * sandbox can write and which can name programs. Git keeps a worktree with submodules anyway.
 */
const STATUS = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=dirty'];

/** The number of changed and untracked files, without ignored ones; undefined if git fails. */
export async function countChanges(git: UserGit, directory: string): Promise<number | undefined> {
  const status = await git.tryRun(directory, ...STATUS);
  return status === undefined ? undefined : status.split('\n').filter(Boolean).length;
}

/** Removes a worktree and its branch if there are no commits and no uncommitted changes. */
export async function removeUnchanged(git: UserGit, folder: string, record: WorktreeRecord): Promise<WorktreeOutcome> {
  const { path, branch, base } = record;
  if (!existsSync(path)) return removeMissing(git, folder, record);
  const heads = await Promise.all([
    git.tryRun(path, 'rev-parse', 'HEAD'),
    git.tryRun(path, 'rev-parse', `refs/heads/${branch}`),
  ]);
  const uncommitted = await countChanges(git, path);
  const isSame = isWorktreeAt(await git.tryRun(path, 'rev-parse', '--show-toplevel'), path);
  const commits = Number((await git.tryRun(path, 'rev-list', '--count', 'HEAD', branch, `^${base}`)) ?? Number.NaN);
  const kept: WorktreeOutcome = { kind: 'kept', commits: commits || 0, uncommitted: uncommitted ?? 0 };
  // The working tree it was created from may itself be a worktree that has been removed.
  const common = resolve(path, (await git.tryRun(path, 'rev-parse', '--git-common-dir')) ?? '.');
  if (!isSame || uncommitted !== 0 || heads.some((head) => head !== base)) return kept;
  // Without --force, so that git refuses if there are changes that were made in the meantime or overlooked.
  if ((await git.tryRun(common, 'worktree', 'remove', path)) === undefined) return kept;
  await git.tryRun(common, 'branch', '--quiet', '-D', branch);
  await rm(folderOf(folder, record.id), { recursive: true, force: true });
  return { kind: 'removed' };
}

/**
 * Removes the branch and the record of a worktree whose folder no longer exists or was never created. Both are kept
 * if the branch has commits.
 */
async function removeMissing(git: UserGit, folder: string, record: WorktreeRecord): Promise<WorktreeOutcome> {
  const { repository, branch, base } = record;
  if (existsSync(repository)) {
    const head = await git.tryRun(repository, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    if (head !== undefined && head !== base) return { kind: 'kept', commits: 0, uncommitted: 0 };
    await git.tryRun(repository, 'worktree', 'prune');
    if (head !== undefined) await git.tryRun(repository, 'branch', '--quiet', '-D', branch);
  }
  await rm(folderOf(folder, record.id), { recursive: true, force: true });
  return { kind: 'removed' };
}

/**
 * Whether git found the worktree itself. If its `.git` file was deleted, git finds a surrounding repository instead.
 */
function isWorktreeAt(top: string | undefined, path: string): boolean {
  return top !== undefined && realpathSync(top) === realpathSync(path);
}
