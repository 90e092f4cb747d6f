import type { HeldTurn, SessionLease } from './session-lease.ts';
import type { SessionState } from './session-states.ts';

/** Runs one task at a time per session, in call order. Different sessions do not wait for each other. */
export interface TurnQueue extends Required<SessionState> {
  /**
   * Runs a task in a session. Tasks of this process wait for each other; if another process holds the session, the
   * task is rejected. Other processes can read `surface`.
   */
  run<Value>(sessionId: string, surface: string, task: (turn: HeldTurn) => Promise<Value>): Promise<Value>;
}

/** The queue of one session, under all ids the session has had since the first task. */
type SessionQueue = { sessionId: string; ids: string[]; newest: Promise<unknown> };

export function createTurnQueue(lease: SessionLease): TurnQueue {
  const lines = new Map<string, SessionQueue>();

  function lineOf(sessionId: string): SessionQueue {
    const line = lines.get(sessionId) ?? { sessionId, ids: [sessionId], newest: Promise.resolve() };
    lines.set(sessionId, line);
    return line;
  }

  return {
    async run(sessionId, surface, task) {
      const line = lineOf(sessionId);
      const held = () => lease.hold(line.sessionId, surface, task);
      // A failed task does not prevent the next one.
      const mine = line.newest.then(held, held);
      line.newest = mine;
      try {
        return await mine;
      } finally {
        // The last task removes the queue, so that the map has no entries for idle sessions.
        if (line.newest === mine) for (const id of line.ids) lines.delete(id);
      }
    },
    forget: lease.forget,
    continueSession(parentId, childId) {
      const line = lines.get(parentId);
      if (line === undefined) return;
      lease.continueSession(parentId, childId);
      line.sessionId = childId;
      line.ids.push(childId);
      lines.set(childId, line);
    },
  };
}
