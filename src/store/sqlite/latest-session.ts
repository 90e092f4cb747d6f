import type { SessionRow } from '../rows/session-row.ts';
import type { Connection } from './connection.ts';
import { LAST_ACTIVE, SESSION_BY_ID, SESSION_COLUMNS } from './session-row.ts';

/**
 * So many of the newest messages are looked at for one of the source that is asked for. Where there is none among them,
 * its sessions are asked one by one: a source that others have left so far behind seldom has many.
 */
const NEWEST_MESSAGES = 1_000;

// The order of the joins is fixed: along the index of the times, until the first one fits.
const NEWEST_MESSAGE = `SELECT s.id, m.timestamp AS at FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
WHERE m.timestamp >= COALESCE(
  (SELECT timestamp FROM messages ORDER BY timestamp DESC LIMIT 1 OFFSET ${NEWEST_MESSAGES}), -9e999)
AND (?1 IS NULL OR s.source = ?1) ORDER BY m.timestamp DESC, m.id DESC LIMIT 1`;
// One that has no message yet counts from its start.
const STARTED_SINCE = (filter: string) => `SELECT ${SESSION_COLUMNS} FROM sessions s
WHERE ${filter} s.started_at > ?1 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)
ORDER BY s.started_at DESC, s.rowid DESC LIMIT 1`;
const ANY_STARTED_SINCE = STARTED_SINCE('');
const SOURCE_STARTED_SINCE = STARTED_SINCE('s.source = ?2 AND');
const ONE_BY_ONE = (filter: string) => `SELECT ${SESSION_COLUMNS} FROM sessions s ${filter}
ORDER BY ${LAST_ACTIVE} DESC, s.rowid DESC LIMIT 1`;
const ANY_ONE_BY_ONE = ONE_BY_ONE('');
const SOURCE_ONE_BY_ONE = ONE_BY_ONE('WHERE s.source = ?');

/** The session in which something happened last; the time is that of its newest message, else of its start. */
export function findLatest(connection: Connection, source: string | undefined): SessionRow | undefined {
  const filter = source === undefined ? [] : [source];
  const newest = connection.get(NEWEST_MESSAGE, source ?? null) as { id: string; at: number } | undefined;
  if (newest === undefined) {
    const sql = source === undefined ? ANY_ONE_BY_ONE : SOURCE_ONE_BY_ONE;
    return connection.get(sql, ...filter) as SessionRow | undefined;
  }
  const sql = source === undefined ? ANY_STARTED_SINCE : SOURCE_STARTED_SINCE;
  return (connection.get(sql, newest.at, ...filter) ?? connection.get(SESSION_BY_ID, newest.id)) as
    | SessionRow
    | undefined;
}
