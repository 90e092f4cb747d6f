import { HermesError, newId } from '../../base/index.ts';
import type { HeldLease, Lease, LeaseHolder, LeaseOutcome, SessionLeases } from '../../contracts/index.ts';
import type { Connection } from './connection.ts';
import { unknownSession } from './session-changes.ts';
import { toMilliseconds, toSeconds } from './time.ts';

type LeaseRow = {
  token: string;
  pid: number;
  host: string;
  surface: string;
  process_scope: string | null;
  ttl_ms: number;
  acquired_at: number;
  renewed_at: number;
  released: number;
};

const FIND = 'SELECT * FROM session_leases WHERE session_id = ?';
const TAKE = `INSERT OR REPLACE INTO session_leases
(session_id, token, pid, host, surface, process_scope, ttl_ms, acquired_at, renewed_at, released)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 0)`;
const RENEW = 'UPDATE session_leases SET renewed_at = ? WHERE session_id = ? AND token = ? AND released = 0';
// The row stays: it tells the next holder whether it was the last one too.
const RELEASE = 'UPDATE session_leases SET released = 1 WHERE session_id = ? AND token = ?';

export function createLeases(connection: Connection): Omit<SessionLeases, 'writeUnder'> {
  const now = () => toSeconds(connection.clock.now());
  return {
    acquireLease: (sessionId, holder, ttlMs) => connection.write(() => acquire(connection, sessionId, holder, ttlMs)),
    renewLease: ({ sessionId, token }) => connection.write(() => connection.run(RENEW, now(), sessionId, token) > 0),
    findLeaseHolder: (sessionId) => connection.read(() => findHolder(connection, sessionId)),
    releaseLease: ({ sessionId, token }) => connection.write(() => void connection.run(RELEASE, sessionId, token)),
  };
}

/** Whoever runs a turn in a session right now; undefined where nobody does. */
export function findHolder(connection: Connection, sessionId: string): HeldLease | undefined {
  const row = connection.get(FIND, sessionId) as LeaseRow | undefined;
  return row !== undefined && isHeld(row, connection.clock.now()) ? toHeld(row) : undefined;
}

/** The connection of a holder: each of its transactions looks at the lease before it does anything else. */
export function underLease(connection: Connection, lease: Pick<Lease, 'sessionId' | 'token'>): Connection {
  return {
    ...connection,
    write: (operation, budgetMs) =>
      connection.write(() => {
        assertHolder(connection, lease);
        return operation();
      }, budgetMs),
  };
}

// One that ran out, or was given back, while nobody else came is still as good as held: nothing was done in between.
function assertHolder(connection: Connection, { sessionId, token }: Pick<Lease, 'sessionId' | 'token'>): void {
  const row = connection.get(FIND, sessionId) as LeaseRow | undefined;
  // Leases go with their session.
  if (row === undefined) throw unknownSession(sessionId, connection.file);
  if (row.token === token) return;
  const { pid, host, surface } = row;
  throw new HermesError(
    `Another process took session ${sessionId} over (process ${pid} on ${host}, ${surface}), because this one was not ` +
      'heard of for too long; nothing more was stored by this turn.',
    { hint: 'Resume the session to go on from what the other process made of it.' },
  );
}

// The write lock makes the look and the change one step, over all processes.
function acquire(connection: Connection, sessionId: string, holder: LeaseHolder, ttlMs: number): LeaseOutcome {
  const row = connection.get(FIND, sessionId) as LeaseRow | undefined;
  const now = connection.clock.now();
  if (row !== undefined && isHeld(row, now)) return { acquired: false, heldBy: toHeld(row) };
  const token = newId('lease');
  const { pid, host, surface, processScope = null } = holder;
  connection.run(TAKE, sessionId, token, pid, host, surface, processScope, ttlMs, toSeconds(now));
  return { acquired: true, lease: { sessionId, token, previousToken: row?.token } };
}

function isHeld(row: LeaseRow, now: number): boolean {
  const age = now - toMilliseconds(row.renewed_at);
  // A heart-beat from the future is a clock that was set back: it must not hold the session for as long.
  return row.released === 0 && age < row.ttl_ms && age > -row.ttl_ms;
}

function toHeld(row: LeaseRow): HeldLease {
  const { token, pid, host, surface } = row;
  const since = toMilliseconds(row.acquired_at);
  const held: HeldLease = { token, pid, host, surface, since, renewedAt: toMilliseconds(row.renewed_at) };
  if (row.process_scope !== null) held.processScope = row.process_scope;
  return held;
}
