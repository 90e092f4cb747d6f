import type { HeldTurn, SessionLease } from './session-lease.ts';
import type { SessionState } from './session-states.ts';

/** Runs one task at a time per session, in the order they came; sessions do not wait for each other. */
export interface TurnQueue extends Required<SessionState> {
  /**
   * Within this process, tasks wait for each other; a session that another process works on is refused. `surface` is
   * what other processes are told about the task.
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
      // A turn that failed does not keep the next one from starting.
      const mine = line.newest.then(held, held);
      line.newest = mine;
      try {
        return await mine;
      } finally {
        // Only the last one in line tidies up, so the map holds no session that is at rest.
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
