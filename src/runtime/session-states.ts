import type { SessionApprovals } from '../contracts/index.ts';

/** A part of the program that keeps something for each session, by its id or by the root of its lineage. */
export interface SessionState {
  /** Releases the state of a session or a lineage that no agent has open any more. */
  forget(id: string): void;
  /** A session was split: what is kept for it now belongs to its continuation. Absent where it is kept by the root. */
  continueSession?(parentId: string, childId: string): void;
}

/** One agent's hold on a session. It follows the session through splits. */
export interface OpenSession {
  /** The root is known once the session is read. */
  setRoot(rootId: string): void;
  /** Releases what is kept for the session, unless another agent has it open. */
  close(): void;
}

/** All state that is kept per session, so that nothing of a session stays behind when its last agent is closed. */
export interface SessionStates extends Required<SessionState> {
  register(...states: readonly SessionState[]): void;
  open(sessionId: string): OpenSession;
}

export function createSessionStates(): SessionStates {
  const states: SessionState[] = [];
  // Ids instead of agents, so that an agent that is never closed can still be garbage-collected.
  const opened = new Set<{ sessionId: string; rootId: string }>();
  const isOpen = (id: string) => opened.values().some(({ sessionId, rootId }) => sessionId === id || rootId === id);
  const forget = (id: string) => {
    for (const state of states) state.forget(id);
  };
  return {
    forget,
    continueSession(parentId, childId) {
      for (const session of opened) if (session.sessionId === parentId) session.sessionId = childId;
      for (const state of states) state.continueSession?.(parentId, childId);
    },
    register: (...others) => void states.push(...others),
    open(sessionId) {
      const session = { sessionId, rootId: sessionId };
      opened.add(session);
      return {
        setRoot: (rootId) => void (session.rootId = rootId),
        close() {
          if (!opened.delete(session)) return;
          for (const id of new Set([session.sessionId, session.rootId])) if (!isOpen(id)) forget(id);
        },
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
