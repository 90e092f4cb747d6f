import type { SessionApprovals } from '../contracts/index.ts';

/** A component that keeps state per session, by session id or by session root. */
export interface SessionState {
  /** Releases the state of a session or lineage that no agent has open any more. */
  forget(id: string): void;
  /** Moves the state of a session to its child after a split. Not needed for state kept by session root. */
  continueSession?(parentId: string, childId: string): void;
}

/** One agent's use of a session. It follows the session through splits. */
export interface OpenSession {
  /** Called once the session is loaded and its root is known. */
  setRoot(rootId: string): void;
  /** Releases the state of the session, unless another agent has it open. */
  close(): void;
}

/**
 * All components that keep state per session, so that everything is released when the last agent of a session closes.
 */
export interface SessionStates extends Required<SessionState> {
  register(...states: readonly SessionState[]): void;
  open(sessionId: string): OpenSession;
}

export function createSessionStates(): SessionStates {
  const states: SessionState[] = [];
  // Stores ids instead of agents, so that an agent that is never closed can still be garbage-collected.
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

/** The rules approved for the rest of each session, kept while an agent has a session of the lineage open. */
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
