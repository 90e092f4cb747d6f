import type { SessionStore } from './session-store.ts';

/**
 * Session leases: the right to run a turn in a session, held by one process at a time. A split moves the lease to the
 * child.
 */
export interface SessionLeases {
  /** Acquires the lease if nobody holds it or the holder has not renewed it in time. The session need not exist yet. */
  acquireLease(sessionId: string, holder: LeaseHolder, ttlMs: number): Promise<LeaseOutcome>;
  /** Extends the lease by the same time. Returns false if another holder has it by now. */
  renewLease(lease: Pick<Lease, 'sessionId' | 'token'>): Promise<boolean>;
  /** The current holder; undefined if there is none. Cheap enough for polling. */
  findLeaseHolder(sessionId: string): Promise<HeldLease | undefined>;
  /** Releases the lease; does nothing if another holder has it by now. */
  releaseLease(lease: Pick<Lease, 'sessionId' | 'token'>): Promise<void>;
  /**
   * Fenced writes for the holder of a lease. Each write checks the lease in the same transaction and is rejected as a
   * whole if another process has acquired it. A process that was suspended cannot notice that by itself.
   */
  writeUnder(lease: Pick<Lease, 'sessionId' | 'token'>): SessionWrites;
}

/** All store operations of a turn that write. */
export type SessionWrites = Pick<
  SessionStore,
  | 'createSession'
  | 'endSession'
  | 'reopenSession'
  | 'setSystemPrompt'
  | 'setSessionModel'
  | 'setSessionOrigin'
  | 'setSessionSetup'
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
  /**
   * Identifies the process namespace of the holder. Holders with the same value can see each other's processes, so
   * that one can detect that another has died.
   */
  processScope?: string;
};

export type Lease = {
  sessionId: string;
  /** Unique for each acquisition. */
  token: string;
  /** Token of the previous lease, if any. If it is not the caller's own, the session may have changed since then. */
  previousToken: string | undefined;
};

export type LeaseOutcome = { acquired: true; lease: Lease } | { acquired: false; heldBy: HeldLease };

export type HeldLease = LeaseHolder & { token: string; since: number; renewedAt: number };
