import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, ConfigurationError, newSessionId } from '../base/index.ts';
import { ensurePrivateFolder } from '../util/index.ts';
import {
  changeRecord,
  folderOf,
  isInUse,
  isOwnedByThisProcess,
  ownProcess,
  readRecords,
  type WorktreeRecord,
  writeRecord,
} from './records.ts';
import { countChanges, removeUnchanged, type WorktreeOutcome } from './remove-unchanged.ts';
import { createUserGit, type UserGit, type Variables } from './user-git.ts';

const INCLUDE_FILE = '.worktreeinclude';
/** Limit for copied files. They should be settings and keys, not build output. */
const MAX_FILES = 2_000;

/**
 * Worktrees for sessions. They are stored in the home directory, so that file searches in the repository do not find
 * them.
 */
export interface Worktrees {
  create(directory: string): Promise<CreatedWorktree>;
  /** The worktree that one of these sessions used, whether or not its folder still exists. */
  find(sessionIds: readonly string[]): WorktreeRecord | undefined;
  /** Makes this process the owner of the worktree, unless another running process owns it. */
  use(record: WorktreeRecord): Promise<void>;
  recordSession(id: string, sessionId: string): Promise<void>;
  leave(id: string): Promise<WorktreeOutcome>;
  /** Removes unchanged worktrees whose processes no longer run. Returns their folders. */
  cleanUp(): Promise<string[]>;
}

export function createWorktrees(options: { folder: string; variables: Variables; clock: Clock }): Worktrees {
  const { folder, clock } = options;
  const git = createUserGit(options.variables);

  return {
    create: (directory) => createWorktree(git, { directory, folder, now: clock.now() }),
    find: (sessionIds) => readRecords(folder).find(({ sessions }) => sessions.some((id) => sessionIds.includes(id))),
    use: (record) =>
      changeRecord(folder, record.id, async (current) => {
        if (current !== undefined && !isInUse(current)) await writeRecord(folder, { ...current, owner: ownProcess() });
      }),
    recordSession: (id, sessionId) =>
      changeRecord(folder, id, async (record) => {
        if (record === undefined || record.sessions.includes(sessionId)) return;
        await writeRecord(folder, { ...record, sessions: [...record.sessions, sessionId] });
      }),
    leave: (id) =>
      changeRecord(folder, id, async (record): Promise<WorktreeOutcome> => {
        if (record === undefined) return { kind: 'removed' };
        if (!isOwnedByThisProcess(record)) return { kind: 'in use' };
        const end = await removeUnchanged(git, folder, record);
        const { owner: _, ...free } = record;
        if (end.kind === 'kept') await writeRecord(folder, free);
        return end;
      }),
    async cleanUp() {
      const left = readRecords(folder).filter((record) => !isInUse(record));
      const removed: string[] = [];
      for (const { id, path } of left) {
        const isRemoved = await changeRecord(folder, id, async (record) => {
          // Another process may have begun to use it.
          if (record === undefined || isInUse(record)) return false;
          return (await removeUnchanged(git, folder, record)).kind === 'removed';
        });
        if (isRemoved) removed.push(path);
      }
      return removed;
    },
  };
}

export type CreatedWorktree = {
  record: WorktreeRecord;
  /** Number of ignored files that were copied into the worktree. */
  copied: number;
  /** Number of uncommitted changes in the original working tree, which the worktree does not contain. */
  uncommitted: number;
};

async function createWorktree(
  git: UserGit,
  { directory, folder, now }: { directory: string; folder: string; now: number },
): Promise<CreatedWorktree> {
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
  // Recorded before it is created, so that it can be found after a crash.
  await writeRecord(folder, record);
  try {
    await git.run(top, 'worktree', 'add', '--quiet', '-b', branch, path, head);
  } catch (thrown) {
    await rm(folderOf(folder, id), { recursive: true, force: true });
    throw thrown;
  }
  // A folder without tracked files does not exist in the worktree.
  const made = { ...record, directory: existsSync(join(path, below)) ? join(path, below) : path };
  await writeRecord(folder, made);
  const copied = await copyIncluded(git, top, path);
  return { record: made, copied, uncommitted: (await countChanges(git, top)) ?? 0 };
}

/**
 * Copies ignored files such as `.env` that `.worktreeinclude` names, in .gitignore syntax. Only ignored files are
 * copied: tracked files are in the worktree already.
 */
async function copyIncluded(git: UserGit, from: string, to: string): Promise<number> {
  if (!existsSync(join(from, INCLUDE_FILE))) return 0;
  const list = async (...rules: string[]) =>
    (await git.tryRun(from, 'ls-files', '--others', '--ignored', '-z', ...rules))?.split('\0').filter(Boolean) ?? [];
  const named = await list(`--exclude-from=${INCLUDE_FILE}`);
  const ignored = new Set(await list('--exclude-standard'));
  const wanted = named.filter((path) => ignored.has(path)).slice(0, MAX_FILES);
  for (const path of wanted) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    // Symbolic links are copied as links.
    await cp(join(from, path), join(to, path), { verbatimSymlinks: true, force: false });
  }
  return wanted.length;
}

type Repository = {
  /** The root folder of the working tree. */
  top: string;
  /** The current directory relative to `top`; '' at the root. */
  below: string;
  /** The checked-out commit. */
  head: string;
};

/** The repository that contains a directory; throws if no worktree can be created from it. */
async function findRepository(git: UserGit, directory: string): Promise<Repository> {
  const inside = await git.run(directory, 'rev-parse', '--is-inside-work-tree').catch((thrown: Error) => {
    throw explainGitError(directory, thrown.message);
  });
  if (inside !== 'true') {
    throw new ConfigurationError(`${directory} is a bare repository or inside a .git folder.`, {
      hint: 'Start Hermes in a working tree, or omit --worktree.',
    });
  }
  const top = await git.run(directory, 'rev-parse', '--show-toplevel');
  const head = await git.tryRun(directory, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (head === undefined) {
    throw new ConfigurationError(`The repository ${top} has no commits yet, but a worktree needs one.`, {
      hint: 'Create a first commit, or omit --worktree.',
    });
  }
  return { top, head, below: (await git.run(directory, 'rev-parse', '--show-prefix')).replace(/\/$/, '') };
}

function explainGitError(directory: string, message: string): ConfigurationError {
  if (message.includes('not a git repository')) {
    return new ConfigurationError(`${directory} is not in a git repository, but --worktree requires one.`, {
      hint: 'Start Hermes in a repository, create one with `git init`, or omit --worktree.',
    });
  }
  return new ConfigurationError(`--worktree cannot be used in ${directory}: ${message}`);
}
