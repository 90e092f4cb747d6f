/** Which session goes on as which: what belongs to the older one belongs to the newer one from then on. */
export interface Continuations {
  note(sessionId: string, childId: string): void;
  newest(sessionId: string): string;
  /** Forgets which sessions this one continues, and which one continues it. */
  forget(sessionId: string): void;
}

export function createContinuations(): Continuations {
  const children = new Map<string, string>();
  const newest = (sessionId: string) => {
    let found = sessionId;
    for (let next = children.get(found); next !== undefined; next = children.get(found)) found = next;
    return found;
  };
  return {
    newest,
    note(sessionId, childId) {
      // A session that went on as itself would be followed for ever.
      if (sessionId !== childId && !children.has(childId)) children.set(sessionId, childId);
    },
    forget(sessionId) {
      const ancestors = [...children.keys()].filter((id) => newest(id) === sessionId);
      for (const id of [sessionId, ...ancestors]) children.delete(id);
    },
  };
}
