import type { SessionRecord, SessionStore } from '../../contracts/index.ts';
import { CANDIDATES, onlyOne, SHORTEST_PREFIX, titlePattern } from '../lookup-rules.ts';
import { rowToSession, rowToSummary, type SessionRow, type SummaryRow } from '../rows/session-row.ts';
import type { Connection, Queries } from './connection.ts';
import type { SqlValue } from './driver.ts';
import { findByTitle } from './lineage-titles.ts';
import { LAST_ACTIVE, SESSION_BY_ID, SESSION_COLUMNS } from './session-columns.ts';
import { isDelegated, isSubagents } from './subagents.ts';

type SessionFilter = NonNullable<Parameters<SessionStore['listSessions']>[0]>;
type SessionLookup = Pick<SessionStore, 'getSession' | 'resolveSession' | 'latestSession' | 'listSessions'>;

const DEFAULT_LIST_LIMIT = 20;

// The upper end is the last character there is: the range uses the index, and no character of the prefix is special.
const BY_PREFIX = `SELECT ${SESSION_COLUMNS} FROM sessions s
WHERE s.id >= $1 AND s.id < $1 || chr(1114111) ORDER BY s.started_at DESC LIMIT ${CANDIDATES}`;

const PREVIEW = `COALESCE((SELECT SUBSTR(m.content, 1, 63) FROM messages m
WHERE m.session_id = s.id AND m.role = 'user' AND m.content ~ '[^ \\t\\n\\r]'
AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.id = m.copy_of AND o.copy_of = o.id)
ORDER BY m.timestamp, m.id LIMIT 1), '')`;
// Chosen first and looked into afterwards, so that only the sessions shown cost a look at their messages.
const LIST = (filter: string) => `SELECT ${SESSION_COLUMNS}, ${PREVIEW} AS preview, ${LAST_ACTIVE} AS last_active
FROM (SELECT place FROM sessions c WHERE ${filter} ORDER BY started_at DESC, place DESC LIMIT $1 OFFSET $2) chosen
JOIN sessions s ON s.place = chosen.place ORDER BY s.started_at DESC, s.place DESC`;
const GOES_ON_HERE = `NOT (c.end_reason = 'compression' AND EXISTS (SELECT 1 FROM sessions n
WHERE n.parent_session_id = c.id AND n.started_at >= c.ended_at
AND n.id NOT IN (SELECT session_id FROM session_branches) AND NOT ${isDelegated('n')}))`;

// By the time of its newest message, else of its start: whichever of the two is later is the one.
const LATEST = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id = (
SELECT id FROM ((SELECT x.id, m.timestamp AS at, x.place FROM messages m JOIN sessions x ON x.id = m.session_id
  WHERE $1::text IS NULL OR x.source = $1 ORDER BY m.timestamp DESC, m.id DESC LIMIT 1)
UNION ALL (SELECT x.id, x.started_at AS at, x.place FROM sessions x WHERE ($1::text IS NULL OR x.source = $1)
  AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = x.id)
  ORDER BY x.started_at DESC, x.place DESC LIMIT 1)) newest ORDER BY at DESC, place LIMIT 1)`;

export function createSessionLookup(connection: Connection): SessionLookup {
  const find = async (db: Queries, sql: string, value: string | null) => {
    const row = await db.get<SessionRow>(sql, value);
    return row && rowToSession(row);
  };
  return {
    getSession: (id) => connection.read((db) => find(db, SESSION_BY_ID, id)),
    resolveSession: (reference) =>
      // What fits exactly comes before what only begins alike.
      connection.read(
        async (db) =>
          (await find(db, SESSION_BY_ID, reference)) ??
          (await findByTitle(db, reference)) ??
          (await findByPrefix(db, reference)),
      ),
    latestSession: ({ source } = {}) => connection.read((db) => find(db, LATEST, source ?? null)),
    listSessions: (filter = {}) =>
      connection.read(async (db) => (await listRows(db, filter)).map((row) => rowToSummary(row))),
  };
}

function listRows(db: Queries, filter: SessionFilter): Promise<SummaryRow[]> {
  const { limit = DEFAULT_LIST_LIMIT, offset = 0, source, title, newestOnly = false } = filter;
  const values: SqlValue[] = [limit, offset];
  const conditions = newestOnly ? [GOES_ON_HERE] : ['TRUE'];
  if (source !== undefined) conditions.push(`c.source = $${values.push(source)}`);
  else if (newestOnly) conditions.push(`NOT ${isSubagents('c')}`);
  if (title !== undefined) conditions.push(`c.title ILIKE $${values.push(titlePattern(title))}`);
  return db.all<SummaryRow>(LIST(conditions.join(' AND ')), ...values);
}

async function findByPrefix(db: Queries, prefix: string): Promise<SessionRecord | undefined> {
  if (prefix.length < SHORTEST_PREFIX) return undefined;
  return onlyOne(prefix, await db.all<SessionRow>(BY_PREFIX, prefix));
}
