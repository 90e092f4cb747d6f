import type { SessionRecord, SessionStore } from '../../contracts/index.ts';
import { CANDIDATES, onlyOne, SHORTEST_PREFIX, titlePattern } from '../lookup-rules.ts';
import { rowToSession, rowToSummary, type SessionRow, type SummaryRow } from '../rows/session-row.ts';
import type { Connection } from './connection.ts';
import { findByTitle } from './lineage-titles.ts';
import { findLatest } from './latest-session.ts';
import { LAST_ACTIVE, SESSION_BY_ID, SESSION_COLUMNS } from './session-row.ts';
import { isDelegated, isSubagents } from './subagents.ts';

type SessionFilter = NonNullable<Parameters<SessionStore['listSessions']>[0]>;
type SessionLookup = Pick<SessionStore, 'getSession' | 'resolveSession' | 'latestSession' | 'listSessions'>;

const DEFAULT_LIST_LIMIT = 20;

// The upper end is the last character there is: the range uses the index, and no character of the prefix is special.
const BY_PREFIX = `SELECT ${SESSION_COLUMNS} FROM sessions s
WHERE s.id >= ?1 AND s.id < ?1 || char(0x10FFFF) ORDER BY s.started_at DESC LIMIT ${CANDIDATES}`;

const PREVIEW = `COALESCE((SELECT SUBSTR(m.content, 1, 63) FROM messages m
WHERE m.session_id = s.id AND m.role = 'user' AND m.content GLOB '*[^ ' || char(9, 10, 13) || ']*'
AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.id = m.copy_of AND o.copy_of = o.id)
ORDER BY m.timestamp, m.id LIMIT 1), '')`;
// Chosen first and looked into afterwards, so that only the sessions shown cost a look at their messages.
const LIST = (filter: string) => `SELECT ${SESSION_COLUMNS}, ${PREVIEW} AS preview, ${LAST_ACTIVE} AS last_active
FROM (SELECT rowid AS place FROM sessions ${filter}
      ORDER BY started_at DESC, rowid DESC LIMIT ?1 OFFSET ?2) chosen JOIN sessions s ON s.rowid = chosen.place
ORDER BY s.started_at DESC, s.rowid DESC`;
const GOES_ON_HERE = `NOT (end_reason = 'compression' AND EXISTS (SELECT 1 FROM sessions c
WHERE c.parent_session_id = sessions.id AND c.started_at >= sessions.ended_at
AND c.id NOT IN (SELECT session_id FROM session_branches) AND NOT ${isDelegated('c')}))`;
/** `unasked` holds where no source is asked for. */
const createLists = (condition: string, unasked: string) => ({
  all: LIST(`WHERE ${condition} AND ${unasked}`),
  bySource: LIST(`WHERE ${condition} AND source = ?3`),
  titled: LIST(`WHERE ${condition} AND title LIKE ?3 ESCAPE '\\' AND (?4 IS NULL AND ${unasked} OR source = ?4)`),
});
const EVERY = createLists('TRUE', 'TRUE');
const NEWEST = createLists(GOES_ON_HERE, `NOT ${isSubagents('sessions')}`);

export function createSessionLookup(connection: Connection): SessionLookup {
  const find = (sql: string, value: string | null) => {
    const row = connection.get(sql, value) as SessionRow | undefined;
    return row === undefined ? undefined : rowToSession(row);
  };
  return {
    getSession: (id) => connection.read(() => find(SESSION_BY_ID, id)),
    resolveSession: (reference) =>
      // What fits exactly comes before what only begins alike.
      connection.read(
        () =>
          find(SESSION_BY_ID, reference) ?? findByTitle(connection, reference) ?? findByPrefix(connection, reference),
      ),
    latestSession: ({ source } = {}) =>
      connection.read(() => {
        const row = findLatest(connection, source);
        return row && rowToSession(row);
      }),
    listSessions: (filter = {}) =>
      connection.read(() => (listRows(connection, filter) as SummaryRow[]).map(rowToSummary)),
  };
}

/** A statement for each filter: one for all of them could not use the index of the source. */
function listRows(connection: Connection, filter: SessionFilter): unknown[] {
  const { limit = DEFAULT_LIST_LIMIT, offset = 0, source, title } = filter;
  const lists = filter.newestOnly ? NEWEST : EVERY;
  if (title !== undefined) {
    const pattern = titlePattern(title);
    return connection.all(lists.titled, limit, offset, pattern, source ?? null);
  }
  return source === undefined
    ? connection.all(lists.all, limit, offset)
    : connection.all(lists.bySource, limit, offset, source);
}

function findByPrefix(connection: Connection, prefix: string): SessionRecord | undefined {
  if (prefix.length < SHORTEST_PREFIX) return undefined;
  const rows = connection.all(BY_PREFIX, prefix) as SessionRow[];
  return onlyOne(prefix, rows);
}
