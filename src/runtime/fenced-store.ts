import type { Lease, SessionStore, SessionWrites } from '../contracts/index.ts';

/** A store for agents, which writes to each session under the lease that its turn holds. */
export interface FencedStore {
  readonly store: SessionStore;
  /** What is written to the session from now on is refused once someone else has its lease. */
  hold(lease: Lease): void;
}

/**
 * A process that is stopped, or swapped out, for longer than its lease lasts learns of the loss at its next heart-beat
 * only, and what it does before that must not land in a session that another process goes on with. The agent knows
 * nothing of leases, so they are put between it and the store here. The lease of a turn counts until the next one:
 * a write that comes late is not let through either.
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
    store: {
      ...store,
      createSession: (session) => of(session.id).createSession(session),
      endSession: (id, reason) => of(id).endSession(id, reason),
      reopenSession: (id) => of(id).reopenSession(id),
      setSystemPrompt: (id, prompt) => of(id).setSystemPrompt(id, prompt),
      setSessionModel: (id, model) => of(id).setSessionModel(id, model),
      setSessionTitle: (id, title) => of(id).setSessionTitle(id, title),
      appendMessages: (id, messages, call, details) => of(id).appendMessages(id, messages, call, details),
      setAttachments: (id, attachments) => of(id).setAttachments(id, attachments),
      setSentContent: (id, sentContent) => of(id).setSentContent(id, sentContent),
      undoMessages: (id, from) => of(id).undoMessages(id, from),
      restoreMessages: (id) => of(id).restoreMessages(id),
      recordCall: (id, call) => of(id).recordCall(id, call),
      recordTurn: (turn) => of(turn.sessionId).recordTurn(turn),
      putBlob: (id, bytes, mediaType) => of(id).putBlob(id, bytes, mediaType),
      async splitSession(parentId, child, messages) {
        await of(parentId).splitSession(parentId, child, messages);
        // The turn goes on in the child, and still by right of the lease it began with, which went there too.
        const lease = held.get(parentId);
        if (lease !== undefined) hold({ sessionId: child.id, token: lease.token });
        held.delete(parentId);
        onSplit(parentId, child.id);
      },
    },
  };
}
