/** Which session goes on as which: what belongs to the older one belongs to the newer one from then on. */
export interface Continuations {
  note(sessionId: string, childId: string): void;
  newest(sessionId: string): string;
}

export function createContinuations(): Continuations {
  const children = new Map<string, string>();
  return {
    note(sessionId, childId) {
      // A session that went on as itself would be followed for ever.
      if (sessionId !== childId && !children.has(childId)) children.set(sessionId, childId);
    },
    newest(sessionId) {
      let newest = sessionId;
      for (let next = children.get(newest); next !== undefined; next = children.get(newest)) newest = next;
      return newest;
    },
  };
}
