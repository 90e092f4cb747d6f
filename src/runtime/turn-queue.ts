/** Lets one task at a time work on a session, in the order they came; other sessions are not held up. */
export interface TurnQueue {
  run<Value>(sessionId: string, task: () => Promise<Value>): Promise<Value>;
}

export function createTurnQueue(): TurnQueue {
  const newest = new Map<string, Promise<unknown>>();
  return {
    async run(sessionId, task) {
      const before = newest.get(sessionId) ?? Promise.resolve();
      // A turn that failed does not keep the next one from starting.
      const mine = before.then(task, task);
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
