import { ConfigurationError, ORIGINAL_SUMMARY_OPENING } from '../../base/index.ts';
import type { LatestFilter, ListOptions, SessionRecord, SessionStore } from '../../contracts/index.ts';
import type { Database, SqlValue, Transaction, Work } from '../database.ts';
import { findByTitle, LAST_CHARACTER } from './lineage-titles.ts';
import { originCondition } from './session-origins.ts';
import {
  isDelegated,
  isSubagentSession,
  LAST_ACTIVE,
  rowToSession,
  rowToSummary,
  SESSION_BY_ID,
  SESSION_COLUMNS,
  type SessionRow,
  type SummaryRow,
} from './session-row.ts';

type SessionLookup = Pick<SessionStore, 'getSession' | 'resolveSession' | 'latestSession' | 'listSessions'>;

const DEFAULT_LIST_LIMIT = 20;
const MIN_PREFIX_LENGTH = 4;
const CANDIDATES_SHOWN = 5;
/** No title is longer, and databases limit the length of a LIKE pattern. */
const MAX_TITLE_PART_LENGTH = 100;
/**
 * How many of the newest messages are searched for one from the requested source. If there is none, all sessions of
 * that source are compared; a source without recent messages rarely has many.
 */
const NEWEST_MESSAGES = 1_000;

// One more than is shown, to know whether there are more.
const BY_PREFIX = `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE s.id >= ?1 AND s.id < ?2
ORDER BY s.started_at DESC LIMIT ${CANDIDATES_SHOWN + 1}`;

const PREVIEW = `COALESCE((SELECT SUBSTR(m.content, 1, 63) FROM messages m
WHERE m.session_id = s.id AND m.role = 'user' AND {hasText m.content}
AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.id = m.copy_of AND o.copy_of = o.id)
AND m.content NOT LIKE '${ORIGINAL_SUMMARY_OPENING}%'
ORDER BY m.timestamp, m.id LIMIT 1), '')`;
// The page is selected first, so that only the messages of its sessions are read.
const LIST = (condition: string) => `SELECT ${SESSION_COLUMNS}, ${PREVIEW} AS preview, ${LAST_ACTIVE} AS last_active
FROM (SELECT {order c} AS place FROM sessions c WHERE ${condition}
      ORDER BY c.started_at DESC, {order c} DESC LIMIT ?1 OFFSET ?2) chosen JOIN sessions s ON {order s} = chosen.place
ORDER BY s.started_at DESC, {order s} DESC`;
const HAS_NO_CONTINUATION = `NOT (c.end_reason = 'compression' AND EXISTS (SELECT 1 FROM sessions n
WHERE n.parent_session_id = c.id AND n.started_at >= c.ended_at
AND n.id NOT IN (SELECT session_id FROM session_branches) AND NOT ${isDelegated('n')}))`;

// CROSS JOIN fixes the join order on SQLite: along the timestamp index until the first row matches.
const newestMessage = (condition: string) => `SELECT s.id, m.timestamp AS at FROM messages m CROSS JOIN sessions s
WHERE s.id = m.session_id AND m.timestamp >= COALESCE(
  (SELECT timestamp FROM messages ORDER BY timestamp DESC LIMIT 1 OFFSET ${NEWEST_MESSAGES}), -1e300)
AND ${condition} ORDER BY m.timestamp DESC, m.id DESC LIMIT 1`;
const startedSince = (condition: string, time: number) => `SELECT ${SESSION_COLUMNS} FROM sessions s
WHERE ${condition} AND s.started_at > ?${time} AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)
ORDER BY s.started_at DESC, {order s} DESC LIMIT 1`;
const oneByOne = (condition: string) => `SELECT ${SESSION_COLUMNS} FROM sessions s WHERE ${condition}
ORDER BY ${LAST_ACTIVE} DESC, {order s} DESC LIMIT 1`;

export function createSessionLookup(database: Database): SessionLookup {
  // Statements by condition, so that a long statement is not composed again for every page.
  const statements = new Map<string, string>();
  return {
    getSession: (id) => database.read((db) => findById(db, id)),
    resolveSession: (reference) => database.read((db) => resolve(db, reference)),
    async latestSession(filter = {}) {
      const row = await database.read((db) => findLatest(db, filter));
      return row && rowToSession(row);
    },
    async listSessions(options = {}) {
      return (await database.read((db) => listRows(db, options, statements))).map(rowToSummary);
    },
  };
}

/** An exact match takes precedence over a prefix. */
function* resolve(db: Transaction, reference: string): Work<SessionRecord | undefined> {
  return (
    (yield* findById(db, reference)) ?? (yield* findByTitle(db, reference)) ?? (yield* findByPrefix(db, reference))
  );
}

function* findById(db: Transaction, id: string): Work<SessionRecord | undefined> {
  const row = yield* db.get<SessionRow>(SESSION_BY_ID, id);
  return row && rowToSession(row);
}

/** Each filter has its own statement: one statement for all of them could not use the index of the source. */
function listRows(db: Transaction, options: ListOptions, statements: Map<string, string>): Work<SummaryRow[]> {
  const { limit = DEFAULT_LIST_LIMIT, offset = 0, source, title, newestOnly = false } = options;
  const values: SqlValue[] = [limit, offset];
  const conditions = newestOnly ? [HAS_NO_CONTINUATION] : ['TRUE'];
  if (source !== undefined) conditions.push(`c.source = ?${values.push(source)}`);
  else if (newestOnly) conditions.push(`NOT ${isSubagentSession('c')}`);
  if (title !== undefined) conditions.push(`c.title {like} ?${values.push(titlePattern(title))} ESCAPE '\\'`);
  const condition = conditions.join(' AND ');
  const sql = statements.get(condition) ?? LIST(condition);
  statements.set(condition, sql);
  return db.all<SummaryRow>(sql, ...values);
}

function titlePattern(part: string): string {
  return `%${part.slice(0, MAX_TITLE_PART_LENGTH).replace(/[\\%_]/g, '\\$&')}%`;
}

/** The session with the newest message. For a session without messages, its start time counts. */
function* findLatest(db: Transaction, filter: LatestFilter): Work<SessionRow | undefined> {
  const values: SqlValue[] = [];
  const source = filter.source === undefined ? 'TRUE' : `s.source = ?${values.push(filter.source)}`;
  const condition = `${source} AND ${originCondition(filter, values)}`;
  const newest = yield* db.get<{ id: string; at: number }>(newestMessage(condition), ...values);
  if (newest === undefined) return yield* db.get<SessionRow>(oneByOne(condition), ...values);
  const started = startedSince(condition, values.length + 1);
  return (
    (yield* db.get<SessionRow>(started, ...values, newest.at)) ?? (yield* db.get<SessionRow>(SESSION_BY_ID, newest.id))
  );
}

function* findByPrefix(db: Transaction, prefix: string): Work<SessionRecord | undefined> {
  if (prefix.length < MIN_PREFIX_LENGTH) return undefined;
  const rows = yield* db.all<SessionRow>(BY_PREFIX, prefix, `${prefix}${LAST_CHARACTER}`);
  const [only] = rows;
  if (only === undefined) return undefined;
  if (rows.length === 1) return rowToSession(only);
  const names = rows
    .slice(0, CANDIDATES_SHOWN)
    .map((row) => (row.title === null ? row.id : `${row.id} (${row.title})`));
  const more = rows.length > CANDIDATES_SHOWN ? ', …' : '';
  throw new ConfigurationError(`"${prefix}" matches several session ids: ${names.join(', ')}${more}.`, {
    hint: 'Give more characters of the id, or the title.',
  });
}
