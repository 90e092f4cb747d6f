import type { SessionStore } from './session-store.ts';

/** The right to run a turn in a session, which one process at a time has. A split takes it to the child. */
export interface SessionLeases {
  /** Given where nobody holds it, or whoever did has not renewed it in time. The session need not exist yet. */
  acquireLease(sessionId: string, holder: LeaseHolder, ttlMs: number): Promise<LeaseOutcome>;
  /** Holds on to it for the same time again; false where someone else has it by now. */
  renewLease(lease: Pick<Lease, 'sessionId' | 'token'>): Promise<boolean>;
  /** Whoever holds it now; undefined where nobody does. A cheap look that can be repeated. */
  findLeaseHolder(sessionId: string): Promise<HeldLease | undefined>;
  /** Gives it back; does nothing where someone else has it by now. */
  releaseLease(lease: Pick<Lease, 'sessionId' | 'token'>): Promise<void>;
  /**
   * What a turn writes, for the holder of a lease. Each write looks at the lease in the same step and is refused whole
   * where someone else was given it meanwhile: a process that stood still for a while cannot know that by itself.
   */
  writeUnder(lease: Pick<Lease, 'sessionId' | 'token'>): SessionWrites;
}

/** Everything that a turn changes in a store. */
export type SessionWrites = Pick<
  SessionStore,
  | 'createSession'
  | 'endSession'
  | 'reopenSession'
  | 'setSystemPrompt'
  | 'setSessionModel'
  | 'setSessionTitle'
  | 'proposeSessionTitle'
  | 'appendMessages'
  | 'setAttachments'
  | 'setSentContent'
  | 'recordCall'
  | 'recordTurn'
  | 'splitSession'
  | 'undoMessages'
  | 'restoreMessages'
  | 'putBlob'
>;

export type LeaseHolder = {
  pid: number;
  host: string;
  /** `cli`, `gateway`, … */
  surface: string;
  /** Holders with the same value see each other's processes, so that one can tell when another has died. */
  processScope?: string;
};

export type Lease = {
  sessionId: string;
  /** Different each time it is given. */
  token: string;
  /** Who had it before, if anyone did: what is stored may have changed since. */
  previousToken: string | undefined;
};

export type LeaseOutcome = { acquired: true; lease: Lease } | { acquired: false; heldBy: HeldLease };

export type HeldLease = LeaseHolder & { token: string; since: number; renewedAt: number };
