import type { HeldTurn, HoldSession } from './session-lease.ts';

/** Lets one task at a time work on a session, in the order they came; other sessions are not held up. */
export interface TurnQueue {
  /** Within this process tasks wait for each other; a session that another process works on is refused. */
  run<Value>(sessionId: string, task: (turn: HeldTurn) => Promise<Value>): Promise<Value>;
}

export function createTurnQueue(hold: HoldSession): TurnQueue {
  const newest = new Map<string, Promise<unknown>>();
  return {
    async run(sessionId, task) {
      const before = newest.get(sessionId) ?? Promise.resolve();
      const held = () => hold(sessionId, task);
      // A turn that failed does not keep the next one from starting.
      const mine = before.then(held, held);
      newest.set(sessionId, mine);
      try {
        return await mine;
      } finally {
        // Only the last one in line tidies up, so the map holds no session that is at rest.
        if (newest.get(sessionId) === mine) newest.delete(sessionId);
      }
    },
  };
}
