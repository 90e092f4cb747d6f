import type { JsonObject } from '../../../base/index.ts';
import type { ApiPrefix, ApiRun, ApiRunState, ApiStore, EventStream, StoredEvent } from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { readObject, toMilliseconds, toSeconds } from '../../rows/values.ts';

// A row without a session is that of a deleted one, or of a turn that stored nothing. Clients choose ids, so another key
// may use the same one.
const BIND = `INSERT INTO api_sessions (session_id, owner, used_at) VALUES (?1, ?2, ?3)
ON CONFLICT (session_id) DO UPDATE SET used_at = excluded.used_at,
owner = CASE WHEN EXISTS (SELECT 1 FROM sessions s WHERE s.id = {text ?1}) THEN api_sessions.owner
  ELSE excluded.owner END`;
// The session and those it continues after compression; a branch belongs to the key that made it.
const OWNER = `WITH RECURSIVE line(id, depth) AS (SELECT {text ?1}, 0
  UNION SELECT p.id, depth + 1 FROM line JOIN sessions s ON s.id = line.id JOIN sessions p ON p.id = s.parent_session_id
  WHERE p.end_reason = 'compression' AND s.id NOT IN (SELECT session_id FROM session_branches) AND depth < 10000)
SELECT a.owner FROM line JOIN api_sessions a ON a.session_id = line.id ORDER BY line.depth LIMIT 1`;
const OWNED = `SELECT a.session_id AS id FROM api_sessions a JOIN sessions s ON s.id = a.session_id
WHERE a.owner = ?1 AND (s.end_reason IS NULL OR s.end_reason <> 'compression')
ORDER BY a.used_at DESC, a.session_id LIMIT CAST(?2 AS BIGINT) OFFSET CAST(?3 AS BIGINT)`;
// Sessions that were not used in this time cannot have calls in it; a day more, for turns that last over midnight.
const SPENDING = `WITH RECURSIVE own(id) AS (
  SELECT session_id FROM api_sessions WHERE owner = ?1 AND used_at >= CAST(?2 AS DOUBLE PRECISION) - 86400
  UNION SELECT s.id FROM sessions s JOIN own ON s.parent_session_id = own.id
  WHERE s.id NOT IN (SELECT session_id FROM session_branches))
SELECT COALESCE(SUM(cost_usd), 0) AS usd FROM model_calls
WHERE started_at >= CAST(?2 AS DOUBLE PRECISION) AND session_id IN (SELECT id FROM own)`;

const SAVE_PREFIX = `INSERT INTO api_prefixes (hash, session_id, message_id) VALUES (?1, ?2, ?3)
ON CONFLICT (hash) DO UPDATE SET session_id = excluded.session_id, message_id = excluded.message_id`;
const PREFIX = 'SELECT hash, session_id, message_id FROM api_prefixes WHERE hash = ?1';

const ADD_RUN = `INSERT INTO api_runs (id, owner, session_id, state, created_at) VALUES (?1, ?2, ?3, 'running', ?4)`;
const RUN = 'SELECT * FROM api_runs WHERE id = ?1';
const END_RUN = `UPDATE api_runs SET state = ?2, session_id = ?3, ended_at = ?4, result = ?5
WHERE id = ?1 AND state = 'running'`;
const PRUNE_RUNS = `DELETE FROM api_runs WHERE created_at < ?1
AND (state <> 'running' OR id NOT IN (SELECT id FROM api_streams))`;

const ADD_STREAM = `INSERT INTO api_streams (id, holder, leased_until, created_at) VALUES (?1, ?2, {now ?3} + ?4, ?5)`;
const STREAM = `SELECT id, holder, ended, CASE WHEN leased_until < {now ?2} THEN 1 ELSE 0 END AS expired
FROM api_streams WHERE id = ?1`;
const RENEW = 'UPDATE api_streams SET leased_until = {now ?3} + ?4 WHERE id = ?1 AND holder = ?2 AND ended = 0';
const WRITABLE = `SELECT last_sequence AS last FROM api_streams WHERE id = ?1 AND holder = ?2 AND ended = 0 {forUpdate}`;
const ADVANCE = 'UPDATE api_streams SET last_sequence = CAST(?2 AS BIGINT), ended = ?3 WHERE id = ?1';
const ADD_EVENT = 'INSERT INTO api_events (stream_id, sequence, event) VALUES (?1, ?2, ?3)';
const EVENTS = `SELECT sequence, event FROM api_events WHERE stream_id = ?1 AND sequence > ?2
ORDER BY sequence LIMIT CAST(?3 AS BIGINT)`;
// A stream that is neither ended nor renewed belongs to a process that died.
const PRUNE_STREAMS = `DELETE FROM api_streams WHERE created_at < ?1 AND (ended = 1 OR leased_until < {now ?2})`;

type RunRow = {
  id: string;
  owner: string;
  session_id: string;
  state: ApiRunState;
  created_at: number;
  ended_at: number | null;
  result: string | null;
};

export function createApiStore(database: Database): ApiStore {
  return {
    bindSession: (sessionId, owner, usedAt) => database.write((db) => bind(db, sessionId, owner, usedAt)),
    findSessionOwner: async (sessionId) =>
      (await database.read((db) => db.get<{ owner: string }>(OWNER, sessionId)))?.owner,
    async listOwnedSessions(owner, { limit, offset }) {
      const rows = await database.read((db) => db.all<{ id: string }>(OWNED, owner, limit, offset));
      return rows.map(({ id }) => id);
    },
    spendingOfOwner: async (owner, since) =>
      (await database.read((db) => db.get<{ usd: number }>(SPENDING, owner, toSeconds(since))))?.usd ?? 0,
    savePrefixes: (prefixes) => database.write((db) => savePrefixes(db, prefixes)),
    findPrefix: (hashes) => database.read((db) => findPrefix(db, hashes)),
    addRun: (run) => database.write((db) => addRun(db, run)),
    getRun: async (id) => {
      const row = await database.read((db) => db.get<RunRow>(RUN, id));
      return row && toRun(row);
    },
    endRun: (id, end) => database.write((db) => endRun(db, id, end)),
    addStream: (id, holder, createdAt, ttlMs) =>
      database.write((db) => addStream(db, { id, holder, createdAt, ttlMs })),
    getStream: (id) => database.read((db) => getStream(db, id)),
    renewStream: (id, holder, ttlMs) => database.write((db) => renew(db, id, holder, ttlMs)),
    appendEvents: (id, holder, events, end = false) => database.write((db) => append(db, { id, holder, events, end })),
    readEvents: (id, after, limit) => database.read((db) => readEvents(db, id, after, limit)),
    pruneApi: (before) => database.write((db) => prune(db, before)),
  };
}

function* bind(db: Transaction, sessionId: string, owner: string, usedAt: number): Work<void> {
  yield* db.run(BIND, sessionId, owner, toSeconds(usedAt));
}

function* savePrefixes(db: Transaction, prefixes: readonly ApiPrefix[]): Work<void> {
  for (const { hash, sessionId, messageId } of prefixes) yield* db.run(SAVE_PREFIX, hash, sessionId, messageId);
}

function* findPrefix(db: Transaction, hashes: readonly string[]): Work<ApiPrefix | undefined> {
  for (const hash of hashes) {
    const row = yield* db.get<{ session_id: string; message_id: number }>(PREFIX, hash);
    if (row !== undefined) return { hash, sessionId: row.session_id, messageId: row.message_id };
  }
  return undefined;
}

type NewRun = Pick<ApiRun, 'id' | 'owner' | 'sessionId' | 'createdAt'>;

function* addRun(db: Transaction, { id, owner, sessionId, createdAt }: NewRun): Work<void> {
  yield* db.run(ADD_RUN, id, owner, sessionId, toSeconds(createdAt));
}

type RunEnd = Pick<ApiRun, 'state' | 'sessionId' | 'endedAt' | 'result'>;

function* endRun(db: Transaction, id: string, { state, sessionId, endedAt, result }: RunEnd): Work<boolean> {
  const ended = endedAt === undefined ? null : toSeconds(endedAt);
  return (
    (yield* db.run(END_RUN, id, state, sessionId, ended, result === undefined ? null : JSON.stringify(result))) > 0
  );
}

function toRun(row: RunRow): ApiRun {
  return {
    id: row.id,
    owner: row.owner,
    sessionId: row.session_id,
    state: row.state,
    createdAt: toMilliseconds(row.created_at),
    endedAt: row.ended_at === null ? undefined : toMilliseconds(row.ended_at),
    result: readObject(row.result) as JsonObject | undefined,
  };
}

type NewStream = { id: string; holder: string; createdAt: number; ttlMs: number };

function* addStream(db: Transaction, { id, holder, createdAt, ttlMs }: NewStream): Work<void> {
  yield* db.run(ADD_STREAM, id, holder, db.leaseTime(), ttlMs / 1000, toSeconds(createdAt));
}

function* getStream(db: Transaction, id: string): Work<EventStream | undefined> {
  const row = yield* db.get<{ holder: string; ended: number; expired: number }>(STREAM, id, db.leaseTime());
  return row && { id, holder: row.holder, isEnded: row.ended === 1, isExpired: row.expired === 1 };
}

function* renew(db: Transaction, id: string, holder: string, ttlMs: number): Work<void> {
  yield* db.run(RENEW, id, holder, db.leaseTime(), ttlMs / 1000);
}

type Appended = { id: string; holder: string; events: readonly JsonObject[]; end: boolean };

function* append(db: Transaction, { id, holder, events, end }: Appended): Work<boolean> {
  const row = yield* db.get<{ last: number }>(WRITABLE, id, holder);
  if (row === undefined) return false;
  for (const [index, event] of events.entries())
    yield* db.run(ADD_EVENT, id, row.last + index + 1, JSON.stringify(event));
  yield* db.run(ADVANCE, id, row.last + events.length, end ? 1 : 0);
  return true;
}

function* readEvents(db: Transaction, id: string, after: number, limit: number): Work<StoredEvent[]> {
  const rows = yield* db.all<{ sequence: number; event: string }>(EVENTS, id, after, limit);
  return rows.map(({ sequence, event }) => ({ sequence, event: (readObject(event) ?? {}) as JsonObject }));
}

function* prune(db: Transaction, before: number): Work<void> {
  yield* db.run(PRUNE_STREAMS, toSeconds(before), db.leaseTime());
  yield* db.run(PRUNE_RUNS, toSeconds(before));
}
