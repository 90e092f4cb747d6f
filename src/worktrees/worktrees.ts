import type { Clock } from '../base/index.ts';
import { type MadeWorktree, makeWorktree } from './make-worktree.ts';
import { isInUse, isOwn, ownProcess, readRecord, readRecords, type WorktreeRecord, writeRecord } from './records.ts';
import { removeUnchanged, type WorktreeEnd } from './remove-unchanged.ts';
import { createUserGit, type Variables } from './user-git.ts';

/** Worktrees for sessions, in a folder of the home: one in the repository would be seen by all that look through it. */
export interface Worktrees {
  make(directory: string): Promise<MadeWorktree>;
  /** The worktree that one of these sessions worked in, whether its folder is still there or not. */
  find(sessionIds: readonly string[]): WorktreeRecord | undefined;
  /** This program works in it from now on, unless another one does. */
  use(record: WorktreeRecord): Promise<void>;
  noteSession(id: string, sessionId: string): Promise<void>;
  leave(id: string): Promise<WorktreeEnd>;
  /** Removes what programs that are gone left behind without having changed anything; the folders. */
  cleanUp(): Promise<string[]>;
}

export function createWorktrees(options: { folder: string; variables: Variables; clock: Clock }): Worktrees {
  const { folder, clock } = options;
  const git = createUserGit(options.variables);

  return {
    make: (directory) => makeWorktree(git, { directory, folder, now: clock.now() }),
    find: (sessionIds) => readRecords(folder).find(({ sessions }) => sessions.some((id) => sessionIds.includes(id))),
    async use(record) {
      if (!isInUse(record)) await writeRecord(folder, { ...record, owner: ownProcess() });
    },
    async noteSession(id, sessionId) {
      const record = readRecord(folder, id);
      if (record === undefined || record.sessions.includes(sessionId)) return;
      await writeRecord(folder, { ...record, sessions: [...record.sessions, sessionId] });
    },
    async leave(id) {
      const record = readRecord(folder, id);
      if (record === undefined) return { kind: 'removed' };
      if (!isOwn(record)) return { kind: 'in use' };
      const end = await removeUnchanged(git, folder, record);
      const { owner: _, ...free } = record;
      if (end.kind === 'kept') await writeRecord(folder, free);
      return end;
    },
    async cleanUp() {
      const left = readRecords(folder).filter((record) => !isInUse(record));
      const removed: string[] = [];
      for (const record of left) {
        const end = await removeUnchanged(git, folder, record);
        if (end.kind === 'removed') removed.push(record.path);
      }
      return removed;
    },
  };
}
