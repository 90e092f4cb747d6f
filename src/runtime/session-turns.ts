import type { Clock } from '../base/index.ts';
import type { Hooks, Logger, Notices, ProcessTable, SessionStore } from '../contracts/index.ts';
import { createNoticeBoard } from './checkpoints/notice-board.ts';
import { type CheckpointParts, openCheckpoints } from './checkpoints/open-checkpoints.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import { createFencedStore } from './fenced-store.ts';
import { createSessionLease } from './session-lease.ts';
import { createTurnQueue, type TurnQueue } from './turn-queue.ts';

type TurnParts = { store: SessionStore; processes: ProcessTable; surface: string; clock: Clock; logger: Logger };

export type SessionTurns = {
  turns: TurnQueue;
  checkpoints: CheckpointParts;
  /** Each turn writes under its lease. */
  store: SessionStore;
  hooks: readonly Hooks[];
  /** What the program itself has to tell a session, of processes and of files. */
  notices: Notices;
};

/** How turns come to their sessions, one at a time, and what goes along with them. */
export function openTurns(options: RuntimeOptions, parts: TurnParts): SessionTurns {
  const { store, processes } = parts;
  const board = createNoticeBoard();
  // A session that is split goes on as its child, with everything that is kept by its id.
  const fenced = createFencedStore(store, (parentId, childId) => {
    turns.move(parentId, childId);
    processes.continueSession(parentId, childId);
    board.continueSession(parentId, childId);
  });
  const turns = createTurnQueue(createSessionLease({ ...parts, onHeld: fenced.hold }));
  const checkpoints = openCheckpoints(options, { ...parts, board });
  return {
    ...{ turns, checkpoints, store: fenced.store, hooks: checkpoints.hooks },
    notices: board.beside(processes.notices),
  };
}
