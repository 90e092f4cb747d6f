import { HermesError, newId } from '../../base/index.ts';
import type { HeldLease, Lease, LeaseHolder, LeaseOutcome, RunningTurn, SessionLeases } from '../../contracts/index.ts';
import type { Database, Transaction, Work } from '../database.ts';
import { toMilliseconds } from '../rows/values.ts';
import { unknownSession } from './session-errors.ts';
import { DESCENDANT_IDS } from './session-row.ts';

type Token = Pick<Lease, 'sessionId' | 'token'>;

type LeaseRow = {
  session_id: string;
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
export type TimedRow = LeaseRow & { now: number };

const FIND = 'SELECT l.*, {now ?2} AS now FROM session_leases l WHERE l.session_id = ?1';
export const LIST_LEASES =
  'SELECT l.*, {now ?1} AS now FROM session_leases l WHERE l.released = 0 ORDER BY l.acquired_at, l.session_id';
const ACQUIRE = `INSERT INTO session_leases
(session_id, token, pid, host, surface, process_scope, ttl_ms, acquired_at, renewed_at, released)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, {now ?8}, {now ?8}, 0)
ON CONFLICT (session_id) DO UPDATE SET token = excluded.token, pid = excluded.pid, host = excluded.host,
surface = excluded.surface, process_scope = excluded.process_scope, ttl_ms = excluded.ttl_ms,
acquired_at = excluded.acquired_at, renewed_at = excluded.renewed_at, released = 0`;
const RENEW = 'UPDATE session_leases SET renewed_at = {now ?3} WHERE session_id = ?1 AND token = ?2 AND released = 0';
// The row is kept: it tells the next holder whether anyone else held the lease in between.
const RELEASE = 'UPDATE session_leases SET released = 1 WHERE session_id = ? AND token = ?';

// Every write of a turn starts with this statement. It locks the row, so that no other process can take over the
// session meanwhile.
const BY_TOKEN = 'SELECT 1 FROM session_leases WHERE session_id = ? AND token = ? {forShare}';
const BY_SESSION = 'SELECT * FROM session_leases WHERE session_id = ?1';
const BELOW = `SELECT * FROM session_leases WHERE session_id IN (${DESCENDANT_IDS})`;
const MOVED = `${BELOW} AND token = ?2`;
const NEWEST_BELOW = `${BELOW} ORDER BY acquired_at DESC LIMIT 1`;

export function createLeases(database: Database): Omit<SessionLeases, 'writeUnder'> {
  return {
    acquireLease: (sessionId, holder, ttlMs) => database.write((db) => acquire(db, sessionId, holder, ttlMs)),
    renewLease: (lease) => database.write((db) => renew(db, lease)),
    findLeaseHolder: (sessionId) => database.read((db) => findHolder(db, sessionId)),
    releaseLease: (lease) => database.write((db) => release(db, lease)),
  };
}

function* renew(db: Transaction, lease: Token): Work<boolean> {
  const sessionId = (yield* findSession(db, lease)) ?? '';
  return (yield* db.run(RENEW, sessionId, lease.token, db.leaseTime())) > 0;
}

function* release(db: Transaction, lease: Token): Work<void> {
  yield* db.run(RELEASE, (yield* findSession(db, lease)) ?? '', lease.token);
}

/** The process that currently runs a turn in a session. */
export function* findHolder(db: Transaction, sessionId: string): Work<HeldLease | undefined> {
  const row = yield* db.get<TimedRow>(FIND, sessionId, db.leaseTime());
  return row !== undefined && isHeld(row) ? toHeld(row) : undefined;
}

/** Every session with a running turn, oldest turn first. */
export function* listHolders(db: Transaction): Work<RunningTurn[]> {
  return toRunningTurns(yield* db.all<TimedRow>(LIST_LEASES, db.leaseTime()));
}

export function toRunningTurns(rows: readonly TimedRow[]): RunningTurn[] {
  return rows.filter(isHeld).map((row) => ({ ...toHeld(row), sessionId: row.session_id }));
}

/** A database for the holder of a lease: each write transaction checks the lease before it does anything else. */
export function underLease(database: Database, lease: Token): Database {
  return {
    ...database,
    write: (work, budgetMs) => database.write((db) => asHolder(db, lease, work), budgetMs),
  };
}

function* asHolder<T>(db: Transaction, lease: Token, work: (db: Transaction) => Work<T>): Work<T> {
  yield* assertHolder(db, lease);
  return yield* work(db);
}

/**
 * The session that a lease currently belongs to: a split moves it to the child. Undefined if another process holds
 * it.
 */
function* findSession(db: Transaction, { sessionId, token }: Token): Work<string | undefined> {
  if ((yield* db.get(BY_TOKEN, sessionId, token)) !== undefined) return sessionId;
  return (yield* db.get<LeaseRow>(MOVED, sessionId, token))?.session_id;
}

// A lease that expired or was released is still valid as long as nobody else took it: nothing was written in between.
function* assertHolder(db: Transaction, lease: Token): Work<void> {
  if ((yield* findSession(db, lease)) !== undefined) return;
  const { sessionId } = lease;
  const row = (yield* db.get<LeaseRow>(BY_SESSION, sessionId)) ?? (yield* db.get<LeaseRow>(NEWEST_BELOW, sessionId));
  // A deleted session no longer has a lease.
  throw row === undefined ? unknownSession(sessionId, db.location) : leaseLost(row);
}

function* acquire(db: Transaction, sessionId: string, holder: LeaseHolder, ttlMs: number): Work<LeaseOutcome> {
  yield* db.lock('lease', sessionId);
  const now = db.leaseTime();
  const row = yield* db.get<TimedRow>(FIND, sessionId, now);
  if (row !== undefined && isHeld(row)) return { acquired: false, heldBy: toHeld(row) };
  const token = newId('lease');
  const { pid, host, surface, processScope = null } = holder;
  yield* db.run(ACQUIRE, sessionId, token, pid, host, surface, processScope, ttlMs, now);
  return { acquired: true, lease: { sessionId, token, previousToken: row?.token } };
}

function isHeld(row: TimedRow): boolean {
  const age = toMilliseconds(row.now) - toMilliseconds(row.renewed_at);
  // If the renewal time is in the future, a clock was set back. Such a lease must not block the session until that
  // time.
  return row.released === 0 && age < row.ttl_ms && age > -row.ttl_ms;
}

function toHeld(row: LeaseRow): HeldLease {
  const { token, pid, host, surface } = row;
  const since = toMilliseconds(row.acquired_at);
  const held: HeldLease = { token, pid, host, surface, since, renewedAt: toMilliseconds(row.renewed_at) };
  if (row.process_scope !== null) held.processScope = row.process_scope;
  return held;
}

function leaseLost({ pid, host, surface, session_id: taken }: LeaseRow): HermesError {
  return new HermesError(
    `Another process took session ${taken} over (process ${pid} on ${host}, ${surface}), because this process did not renew ` +
      'its lease in time; this turn stored nothing more.',
    { hint: 'Resume the session to continue from the current state.' },
  );
}
