import { newId } from '../../base/index.ts';
import type { HeldLease, Lease, LeaseHolder, LeaseOutcome, SessionLeases } from '../../contracts/index.ts';
import { isHeld, type LeaseRow, takenOver, toHeld } from '../rows/lease-row.ts';
import { toSeconds } from '../rows/time.ts';
import type { Connection } from './connection.ts';
import { DESCENDANT_IDS } from './lineage.ts';
import { unknownSession } from '../session-errors.ts';

type Token = Pick<Lease, 'sessionId' | 'token'>;

const FIND = 'SELECT * FROM session_leases WHERE session_id = ?';
// Every write asks for this one, which needs no more of the row.
const TOKEN = 'SELECT token FROM session_leases WHERE session_id = ?';
const TAKE = `INSERT OR REPLACE INTO session_leases
(session_id, token, pid, host, surface, process_scope, ttl_ms, acquired_at, renewed_at, released)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 0)`;
const RENEW = 'UPDATE session_leases SET renewed_at = ? WHERE session_id = ? AND token = ? AND released = 0';
// The row stays: it tells the next holder whether it was the last one too.
const RELEASE = 'UPDATE session_leases SET released = 1 WHERE session_id = ? AND token = ?';

const BELOW = `SELECT * FROM session_leases WHERE session_id IN (${DESCENDANT_IDS})`;
const MOVED = `${BELOW} AND token = ?2`;
const NEWEST_BELOW = `${BELOW} ORDER BY acquired_at DESC LIMIT 1`;

export function createLeases(connection: Connection): Omit<SessionLeases, 'writeUnder'> {
  const now = () => toSeconds(connection.clock.now());
  return {
    acquireLease: (sessionId, holder, ttlMs) => connection.write(() => acquire(connection, sessionId, holder, ttlMs)),
    renewLease: (lease) =>
      connection.write(() => connection.run(RENEW, now(), placeOf(connection, lease) ?? '', lease.token) > 0),
    findLeaseHolder: (sessionId) => connection.read(() => findHolder(connection, sessionId)),
    releaseLease: (lease) =>
      connection.write(() => void connection.run(RELEASE, placeOf(connection, lease) ?? '', lease.token)),
  };
}

/** Whoever runs a turn in a session right now; undefined where nobody does. */
export function findHolder(connection: Connection, sessionId: string): HeldLease | undefined {
  const row = connection.get(FIND, sessionId) as LeaseRow | undefined;
  return row !== undefined && isHeld(row, connection.clock.now()) ? toHeld(row) : undefined;
}

/** The session that a lease is for by now: a split takes it to the child. Undefined where someone else has it. */
function placeOf(connection: Connection, { sessionId, token }: Token): string | undefined {
  const row = connection.get(TOKEN, sessionId) as Pick<LeaseRow, 'token'> | undefined;
  if (row?.token === token) return sessionId;
  return (connection.get(MOVED, sessionId, token) as LeaseRow | undefined)?.session_id;
}

/** The connection of a holder: each of its transactions looks at the lease before it does anything else. */
export function underLease(connection: Connection, lease: Token): Connection {
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
function assertHolder(connection: Connection, lease: Token): void {
  if (placeOf(connection, lease) !== undefined) return;
  const { sessionId } = lease;
  const row = (connection.get(FIND, sessionId) ?? connection.get(NEWEST_BELOW, sessionId)) as LeaseRow | undefined;
  // Leases go with their session.
  if (row === undefined) throw unknownSession(sessionId, connection.file);
  throw takenOver(row);
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
