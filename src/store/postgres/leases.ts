import { newId } from '../../base/index.ts';
import type { HeldLease, Lease, LeaseHolder, LeaseOutcome, SessionLeases } from '../../contracts/index.ts';
import { isHeld, type LeaseRow, takenOver, toHeld } from '../rows/lease-row.ts';
import { toMilliseconds } from '../rows/time.ts';
import { unknownSession } from '../session-errors.ts';
import type { Connection, Queries } from './connection.ts';
import { DESCENDANT_IDS } from './descendants.ts';

type Token = Pick<Lease, 'sessionId' | 'token'>;
type TimedRow = LeaseRow & { now: number };

// The clocks of machines differ; that of the database is one for all of them.
const NOW = (value: number) => `COALESCE($${value}::float8, extract(epoch FROM clock_timestamp())::float8)`;

const FIND = `SELECT l.*, ${NOW(2)} AS now FROM session_leases l WHERE l.session_id = $1`;
const TAKE = `INSERT INTO session_leases
(session_id, token, pid, host, surface, process_scope, ttl_ms, acquired_at, renewed_at, released)
VALUES ($1, $2, $3, $4, $5, $6, $7, ${NOW(8)}, ${NOW(8)}, 0)
ON CONFLICT (session_id) DO UPDATE SET token = excluded.token, pid = excluded.pid, host = excluded.host,
surface = excluded.surface, process_scope = excluded.process_scope, ttl_ms = excluded.ttl_ms,
acquired_at = excluded.acquired_at, renewed_at = excluded.renewed_at, released = 0`;
const RENEW = `UPDATE session_leases SET renewed_at = ${NOW(3)} WHERE session_id = $1 AND token = $2 AND released = 0`;
// The row stays: it tells the next holder whether it was the last one too.
const RELEASE = 'UPDATE session_leases SET released = 1 WHERE session_id = $1 AND token = $2';

const BELOW = `SELECT * FROM session_leases WHERE session_id IN (${DESCENDANT_IDS})`;
const MOVED = `${BELOW} AND token = $2`;
const NEWEST_BELOW = `${BELOW} ORDER BY acquired_at DESC LIMIT 1`;
const BY_TOKEN = 'SELECT * FROM session_leases WHERE session_id = $1 AND token = $2 FOR SHARE';
const BY_SESSION = 'SELECT * FROM session_leases WHERE session_id = $1';

/** Held until the transaction ends, also where there is no row yet: the look and the change are one step. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('hermes lease ' || $1, 0))";

export function createLeases(connection: Connection): Omit<SessionLeases, 'writeUnder'> {
  return {
    acquireLease: (sessionId, holder, ttlMs) =>
      connection.write((db) => acquire(db, connection.leaseTime(), { sessionId, holder, ttlMs })),
    renewLease: (lease) =>
      connection.write(async (db) => {
        const place = (await placeOf(db, lease)) ?? '';
        return (await db.run(RENEW, place, lease.token, connection.leaseTime())) > 0;
      }),
    findLeaseHolder: (sessionId) => connection.read((db) => findHolder(connection, db, sessionId)),
    releaseLease: (lease) =>
      connection.write(async (db) => void (await db.run(RELEASE, (await placeOf(db, lease)) ?? '', lease.token))),
  };
}

/** Inside a transaction that is to find out that nobody holds a session, and to keep it so. */
export async function lockLease(db: Queries, sessionId: string): Promise<void> {
  await db.run(LOCK, sessionId);
}

/** Whoever runs a turn in a session right now; undefined where nobody does. */
export async function findHolder(
  connection: Connection,
  db: Queries,
  sessionId: string,
): Promise<HeldLease | undefined> {
  const row = await db.get<TimedRow>(FIND, sessionId, connection.leaseTime());
  return row !== undefined && isHeld(row, toMilliseconds(row.now)) ? toHeld(row) : undefined;
}

/** The session that a lease is for by now: a split takes it to the child. Undefined where someone else has it. */
async function placeOf(db: Queries, { sessionId, token }: Token): Promise<string | undefined> {
  if ((await db.get(BY_TOKEN, sessionId, token)) !== undefined) return sessionId;
  return (await db.get<LeaseRow>(MOVED, sessionId, token))?.session_id;
}

/** The connection of a holder: each of its transactions looks at the lease before it does anything else. */
export function underLease(connection: Connection, lease: Token): Connection {
  return {
    ...connection,
    write: (operation, budgetMs) =>
      connection.write(async (db) => {
        await assertHolder(connection, db, lease);
        return operation(db);
      }, budgetMs),
  };
}

// One that ran out, or was given back, while nobody else came is still as good as held: nothing was done in between.
async function assertHolder(connection: Connection, db: Queries, lease: Token): Promise<void> {
  if ((await placeOf(db, lease)) !== undefined) return;
  const { sessionId } = lease;
  const row = (await db.get<LeaseRow>(BY_SESSION, sessionId)) ?? (await db.get<LeaseRow>(NEWEST_BELOW, sessionId));
  // Leases go with their session.
  throw row === undefined ? unknownSession(sessionId, connection.place) : takenOver(row);
}

async function acquire(
  db: Queries,
  now: number | null,
  { sessionId, holder, ttlMs }: { sessionId: string; holder: LeaseHolder; ttlMs: number },
): Promise<LeaseOutcome> {
  await lockLease(db, sessionId);
  const row = await db.get<TimedRow>(FIND, sessionId, now);
  if (row !== undefined && isHeld(row, toMilliseconds(row.now))) return { acquired: false, heldBy: toHeld(row) };
  const token = newId('lease');
  const { pid, host, surface, processScope = null } = holder;
  await db.run(TAKE, sessionId, token, pid, host, surface, processScope, ttlMs, now);
  return { acquired: true, lease: { sessionId, token, previousToken: row?.token } };
}
