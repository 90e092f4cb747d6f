import type { SessionApprovals } from '../contracts/index.ts';

/** A part of the program that keeps something for each session, by its id or by the root of its lineage. */
export interface SessionState {
  /** Releases what is kept for a session or a lineage that no agent has open any more. */
  forget(id: string): void;
  /** A session was split: what is kept for it now belongs to its continuation. Absent where it is kept by the root. */
  continueSession?(parentId: string, childId: string): void;
}

/** An open session: a split changes its id, but not its root. */
export type OpenSession = { sessionId(): string; rootId(): string };

/** All state that is kept per session, so that nothing of a session stays behind when its last agent is closed. */
export interface SessionStates extends Required<SessionState> {
  register(...states: readonly SessionState[]): void;
  /** Counts an agent that has the session open. The function it returns is called when that agent is closed. */
  open(session: OpenSession): () => void;
}

export function createSessionStates(): SessionStates {
  const states: SessionState[] = [];
  const opened = new Set<OpenSession>();
  const isOpen = (id: string) => opened.values().some(({ sessionId, rootId }) => sessionId() === id || rootId() === id);
  const forget = (id: string) => {
    for (const state of states) state.forget(id);
  };
  return {
    forget,
    continueSession(parentId, childId) {
      for (const state of states) state.continueSession?.(parentId, childId);
    },
    register: (...others) => void states.push(...others),
    open(session) {
      opened.add(session);
      return () => {
        opened.delete(session);
        const ids = new Set([session.sessionId(), session.rootId()]);
        for (const id of ids) if (!isOpen(id)) forget(id);
      };
    },
  };
}

/** The rules allowed for the rest of each session, kept while an agent has a session of the lineage open. */
export function createSessionApprovals(): SessionApprovals & SessionState {
  const byRoot = new Map<string, Set<string>>();
  return {
    rulesOf(rootId) {
      const rules = byRoot.get(rootId) ?? new Set();
      byRoot.set(rootId, rules);
      return rules;
    },
    forget: (rootId) => void byRoot.delete(rootId),
  };
}
