/** The right to run a turn in a session, which one process at a time has. */
export interface SessionLeases {
  /** Given where nobody holds it, or whoever did has not renewed it in time. The session need not exist yet. */
  acquireLease(sessionId: string, holder: LeaseHolder, ttlMs: number): Promise<LeaseOutcome>;
  /** Holds on to it for the same time again; false where someone else has it by now. */
  renewLease(lease: Pick<Lease, 'sessionId' | 'token'>): Promise<boolean>;
  /** Whoever holds it now; undefined where nobody does. A cheap look that can be repeated. */
  findLeaseHolder(sessionId: string): Promise<HeldLease | undefined>;
  /** Gives it back; does nothing where someone else has it by now. */
  releaseLease(lease: Pick<Lease, 'sessionId' | 'token'>): Promise<void>;
}

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
