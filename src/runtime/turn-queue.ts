import type { HeldTurn, SessionLease } from './session-lease.ts';
import type { SessionState } from './session-states.ts';

/** Runs one task at a time per session, in the order of the calls. Sessions do not wait for each other. */
export interface TurnQueue extends Required<SessionState> {
  /**
   * Within this process, tasks wait for each other; a session that another process holds is refused. Other processes can
   * read the `surface` that the task runs on.
   */
  run<Value>(sessionId: string, surface: string, task: (turn: HeldTurn) => Promise<Value>): Promise<Value>;
}

/** The tasks of one session, under all the ids it had since the first of them. */
type Line = { sessionId: string; ids: string[]; newest: Promise<unknown> };

export function createTurnQueue(lease: SessionLease): TurnQueue {
  const lines = new Map<string, Line>();

  function lineOf(sessionId: string): Line {
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
        // The last task removes the line, so that the map contains no idle session.
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
