import { hostname } from 'node:os';
import { type Clock, errorMessage, HermesError } from '../base/index.ts';
import type { HeldLease, Lease, LeaseHolder, Logger, SessionLeases } from '../contracts/index.ts';
import { hasProcessEnded, processScope } from '../util/index.ts';
import type { SessionState } from './session-states.ts';

/** The session lease from the point of view of the turn that runs under it. */
export type HeldTurn = {
  /** Aborted when another process took over the session because this one did not renew its lease in time. */
  signal: AbortSignal;
  /** Whether another process may have changed the session since this process last held it. */
  storedChanged: boolean;
  /** The token of the lease. Other processes address the turn by it. */
  token: string;
  /** The token of the previous lease holder, in this process or another one. */
  previousToken: string | undefined;
};

/** Runs a task while this process holds the session lease. Other processes can read `surface`. */
export type HoldSession = <Value>(
  sessionId: string,
  surface: string,
  task: (turn: HeldTurn) => Promise<Value>,
) => Promise<Value>;

export interface SessionLease extends Required<SessionState> {
  hold: HoldSession;
}

export type SessionLeaseOptions = {
  store: SessionLeases;
  clock: Clock;
  logger: Logger;
  /** How long a lease is valid without a renewal. */
  ttlMs?: number;
  /** Called with each lease before its task begins. */
  onHeld?: (lease: Lease) => void;
};

const TTL_MS = 30_000;
/** Renewals per TTL: one or two may fail without losing the lease. */
const RENEWALS = 3;

export function createSessionLease(options: SessionLeaseOptions): SessionLease {
  const lastTokens = new Map<string, string>();
  const held = new Map<string, Lease>();
  return {
    async hold(sessionId, surface, task) {
      const lease = await acquire(options, sessionId, describeProcess(surface));
      const { token, previousToken } = lease;
      const storedChanged = previousToken !== lastTokens.get(sessionId);
      lastTokens.set(sessionId, token);
      held.set(sessionId, lease);
      options.onHeld?.(lease);
      const [done, lost] = [new AbortController(), new AbortController()];
      const renewing = renewUntilDone(options, lease, done.signal, lost);
      try {
        return await task({ signal: lost.signal, storedChanged, token, previousToken });
      } finally {
        done.abort();
        await renewing;
        await release(options, lease);
        held.delete(lease.sessionId);
      }
    },
    forget: (sessionId) => void lastTokens.delete(sessionId),
    continueSession(parentId, childId) {
      const lease = held.get(parentId);
      if (lease === undefined) return;
      lease.sessionId = childId;
      for (const known of [held, lastTokens]) known.delete(parentId);
      held.set(childId, lease);
      lastTokens.set(childId, lease.token);
    },
  };
}

async function acquire(options: SessionLeaseOptions, sessionId: string, holder: LeaseHolder): Promise<Lease> {
  const { store, ttlMs = TTL_MS } = options;
  const first = await store.acquireLease(sessionId, holder, ttlMs);
  if (first.acquired) return first.lease;
  if (!hasHolderDied(first.heldBy, holder)) throw new SessionHeld(sessionId, first.heldBy);
  // A killed process cannot release its lease. Release it here instead of waiting until it expires.
  await store.releaseLease({ sessionId, token: first.heldBy.token });
  const second = await store.acquireLease(sessionId, holder, ttlMs);
  if (second.acquired) return second.lease;
  throw new SessionHeld(sessionId, second.heldBy);
}

async function renewUntilDone(
  { store, clock, logger, ttlMs = TTL_MS }: SessionLeaseOptions,
  lease: Lease,
  done: AbortSignal,
  lost: AbortController,
): Promise<void> {
  for (;;) {
    // Read the session id in each iteration, because a split moves the lease to another session.
    const { sessionId } = lease;
    try {
      await clock.sleep(ttlMs / RENEWALS, done);
      if (await store.renewLease(lease)) continue;
      logger.warn('another process took over the session', { sessionId });
      lost.abort(new HermesError(`Another process took over session ${sessionId}, so this turn was ended.`));
      return;
    } catch (thrown) {
      if (done.aborted) return;
      logger.warn('could not renew the session lease', { sessionId, reason: errorMessage(thrown) });
    }
  }
}

// The turn is already stored. A lease that cannot be released expires on its own.
async function release({ store, logger }: SessionLeaseOptions, lease: Lease): Promise<void> {
  try {
    await store.releaseLease(lease);
  } catch (thrown) {
    logger.warn('could not release the session lease', { sessionId: lease.sessionId, reason: errorMessage(thrown) });
  }
}

export function describeProcess(surface: string): LeaseHolder {
  return { pid: process.pid, host: hostname(), surface, processScope: processScope() };
}

/** Whether the lease holder has died. Known only for processes on this machine in the same container. */
export function hasHolderDied({ pid, processScope: scope }: HeldLease, self: LeaseHolder): boolean {
  return self.processScope !== undefined && hasProcessEnded({ pid, scope }, self.processScope);
}

const HELD_HINT =
  'Wait until that turn has ended (--if-busy wait), continue in a branch (--if-busy branch), or follow it with `hermes sessions watch`.';

/** Thrown when another process runs a turn in the same session. */
export class SessionHeld extends HermesError {
  readonly sessionId: string;
  readonly heldBy: HeldLease;

  constructor(sessionId: string, heldBy: HeldLease) {
    super(describeHolder(sessionId, heldBy), { hint: HELD_HINT });
    this.sessionId = sessionId;
    this.heldBy = heldBy;
  }
}

export function describeHolder(sessionId: string, { pid, host, surface, since }: HeldLease): string {
  const time = new Date(since).toTimeString().slice(0, 8);
  return `Session ${sessionId} is in use: process ${pid} on ${host} (${surface}) has been running a turn in it since ${time}.`;
}
