import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { newSessionId } from '../base/index.ts';
import { ensurePrivateFolder } from '../util/index.ts';
import { copyIncluded } from './copy-included.ts';
import { findRepository } from './find-repository.ts';
import { folderOf, ownProcess, type WorktreeRecord, writeRecord } from './records.ts';
import { changesIn } from './remove-unchanged.ts';
import type { UserGit } from './user-git.ts';

export type MadeWorktree = {
  record: WorktreeRecord;
  /** Files that git ignores and that were copied all the same. */
  copied: number;
  /** Changes of the working tree it was made from, which are not in it. */
  uncommitted: number;
};

export async function makeWorktree(
  git: UserGit,
  { directory, folder, now }: { directory: string; folder: string; now: number },
): Promise<MadeWorktree> {
  const { top, head, below } = await findRepository(git, directory);
  const id = newSessionId(now).replaceAll('_', '-');
  const [path, branch] = [join(folderOf(folder, id), basename(top) || 'repository'), `hermes/${id}`];
  await ensurePrivateFolder(folderOf(folder, id));
  const record: WorktreeRecord = {
    id,
    path,
    repository: top,
    branch,
    base: head,
    directory: path,
    sessions: [],
    owner: ownProcess(),
  };
  // Before it is made: whatever happens then, someone finds it.
  await writeRecord(folder, record);
  try {
    await git.act(top, 'worktree', 'add', '--quiet', '-b', branch, path, head);
  } catch (thrown) {
    await rm(folderOf(folder, id), { recursive: true, force: true });
    throw thrown;
  }
  // A folder without files of the repository is not there.
  const made = { ...record, directory: existsSync(join(path, below)) ? join(path, below) : path };
  await writeRecord(folder, made);
  const copied = await copyIncluded(git, top, path);
  return { record: made, copied, uncommitted: (await changesIn(git, top)) ?? 0 };
}
