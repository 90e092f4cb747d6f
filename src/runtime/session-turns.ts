import type { Clock } from '../base/index.ts';
import type { Logger, ProcessTable, SessionStore } from '../contracts/index.ts';
import { createFencedStore } from './fenced-store.ts';
import { createSessionLease } from './session-lease.ts';
import { createTurnQueue, type TurnQueue } from './turn-queue.ts';

/** How turns come to their sessions: one at a time, each writing under its lease. */
export function createSessionTurns(options: {
  store: SessionStore;
  processes: ProcessTable;
  surface: string;
  clock: Clock;
  logger: Logger;
}): { turns: TurnQueue; store: SessionStore } {
  const { store, processes, surface, clock, logger } = options;
  // A session that is split goes on as its child, with everything that is kept by its id.
  const fenced = createFencedStore(store, (parentId, childId) => {
    turns.move(parentId, childId);
    processes.continueSession(parentId, childId);
  });
  const lease = createSessionLease({ store, surface, clock, logger, onHeld: fenced.hold });
  const turns = createTurnQueue(lease);
  return { turns, store: fenced.store };
}
