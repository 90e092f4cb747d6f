import type { Lease, SessionStore, SessionWrites } from '../contracts/index.ts';
import type { SessionState } from './session-states.ts';

/** A session store for agents that fences writes: each session is written under the lease of its turn. */
export interface FencedStore extends SessionState {
  readonly store: SessionStore;
  /** From now on, writes to the session are rejected once another process has its lease. */
  hold(lease: Lease): void;
}

/**
 * A process that was suspended for longer than its lease notices the loss only at its next renewal. Until then, its
 * writes must not reach a session that another process has taken over. The agent does not know about leases, so this
 * store checks them. The lease of a turn is used until the next turn or until the session is closed, so late writes
 * are rejected too.
 */
export function createFencedStore(
  store: SessionStore,
  onSplit: (parentId: string, childId: string) => void = () => undefined,
): FencedStore {
  const held = new Map<string, { token: string; writes: SessionWrites }>();
  const of = (sessionId: string): SessionWrites => held.get(sessionId)?.writes ?? store;
  const hold = (lease: Pick<Lease, 'sessionId' | 'token'>) =>
    void held.set(lease.sessionId, { token: lease.token, writes: store.writeUnder(lease) });
  return {
    hold,
    forget: (sessionId) => void held.delete(sessionId),
    store: {
      ...store,
      createSession: (session) => of(session.id).createSession(session),
      endSession: (id, reason) => of(id).endSession(id, reason),
      reopenSession: (id) => of(id).reopenSession(id),
      setSystemPrompt: (id, prompt) => of(id).setSystemPrompt(id, prompt),
      setSessionModel: (id, model) => of(id).setSessionModel(id, model),
      setSessionOrigin: (id, origin) => of(id).setSessionOrigin(id, origin),
      setSessionSetup: (id, setup) => of(id).setSessionSetup(id, setup),
      setSessionTitle: (id, title) => of(id).setSessionTitle(id, title),
      appendMessages: (id, messages, call, details) => of(id).appendMessages(id, messages, call, details),
      setAttachments: (id, attachments, callId) => of(id).setAttachments(id, attachments, callId),
      setSentContent: (id, sentContent) => of(id).setSentContent(id, sentContent),
      undoMessages: (id, from) => of(id).undoMessages(id, from),
      restoreMessages: (id) => of(id).restoreMessages(id),
      recordCall: (id, call) => of(id).recordCall(id, call),
      recordTurn: (turn) => of(turn.sessionId).recordTurn(turn),
      putBlob: (id, bytes, mediaType) => of(id).putBlob(id, bytes, mediaType),
      async splitSession(parentId, child, messages) {
        await of(parentId).splitSession(parentId, child, messages);
        // The turn continues in the child under the same lease, which the store has moved there.
        const lease = held.get(parentId);
        if (lease !== undefined) hold({ sessionId: child.id, token: lease.token });
        held.delete(parentId);
        onSplit(parentId, child.id);
      },
    },
  };
}
