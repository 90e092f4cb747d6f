import { HermesError } from '../../base/index.ts';
import type { HeldLease, RemovedSessions, SessionRemoval } from '../../contracts/index.ts';
import type { Database, Transaction, Work } from '../database.ts';
import { toSeconds } from '../rows/values.ts';
import { clearFileChanges } from './file-changes.ts';
import { findHolder } from './leases.ts';
import { removeUnusedTools } from './session-setups.ts';
import { unknownSession } from './session-errors.ts';
import { DESCENDANT_IDS, isSubagentSession, OTHER_DESCENDANT_IDS, SESSION_EXISTS } from './session-row.ts';

export type RemovalOptions = {
  /** Folders in which each session has a subfolder, named by `sessionFolderName`. */
  sessionFolders?: readonly string[] | undefined;
};

const IDS_SHOWN = 5;

// A subagent that a crash interrupted has no end time; its lease shows that it is not running.
const hasEnded = `(s.ended_at IS NOT NULL OR ${isSubagentSession('s')})`;
const HAS_ENDED = `SELECT 1 FROM sessions s WHERE s.id = ?1 AND ${hasEnded}`;
const IS_SUBAGENT = `SELECT 1 FROM sessions s WHERE s.id = ?1 AND ${isSubagentSession('s')}`;
const DELETE_MESSAGES = 'DELETE FROM messages WHERE session_id = ?1';
const DELETE_UNDONE = 'DELETE FROM undone_messages WHERE session_id = ?1';
const DELETE_LEASE = 'DELETE FROM session_leases WHERE session_id = ?1';
const DELETE_SESSION = 'DELETE FROM sessions WHERE id = ?1';
// The costs of a subagent and of what a session continues stay with the API key that they belong to.
const KEEP_OWNER = `WITH RECURSIVE line(id) AS (SELECT {text ?1} UNION SELECT parent_session_id FROM sessions
  JOIN line USING (id) WHERE id NOT IN (SELECT session_id FROM session_branches))
INSERT INTO api_sessions (session_id, owner, used_at)
SELECT {text ?1}, owner, used_at FROM api_sessions WHERE session_id IN (SELECT id FROM line)
ORDER BY used_at DESC LIMIT 1 ON CONFLICT DO NOTHING`;
const RESET_COUNTS = 'UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = ?1';

// Newest first, so that children come before their parents. The messages are checked last, because that is expensive.
const ALL_SESSIONS = `SELECT s.id, s.parent_session_id AS parent, (${isSubagentSession('s')}) AS subagent,
(${hasEnded} AND s.started_at < ?1 AND ({text ?2} IS NULL OR s.source = ?2)
AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.timestamp >= ?1)) AS old
FROM sessions s ORDER BY {order s} DESC`;

type PruneRow = { id: string; parent: string | null; subagent: number; old: number };

export function createRemoval(database: Database, { sessionFolders = [] }: RemovalOptions = {}): SessionRemoval {
  return {
    async deleteSession(id, { withDescendants = false } = {}) {
      const descendants = await database.read((db) => findDescendants(db, id, withDescendants));
      return removeAll(database, [...descendants.reverse(), id], sessionFolders);
    },
    async pruneSessions({ inactiveSince, source }) {
      const rows = await database.read((db) =>
        db.all<PruneRow>(ALL_SESSIONS, toSeconds(inactiveSince), source ?? null),
      );
      return removeAll(database, findOld(rows), sessionFolders, { isLenient: true });
    },
    clearMessages: (id) => database.write((db) => clearMessages(db, id)),
  };
}

function* clearMessages(db: Transaction, id: string): Work<void> {
  yield* db.lock('lease', id);
  yield* assertFree(db, id);
  yield* db.lock('session', id);
  yield* db.run(DELETE_MESSAGES, id);
  yield* db.run(DELETE_UNDONE, id);
  yield* clearFileChanges(db, id);
  if ((yield* db.run(RESET_COUNTS, id)) === 0) throw unknownSession(id, db.location);
}

function* findDescendants(db: Transaction, id: string, allowed: boolean): Work<string[]> {
  if ((yield* db.get(SESSION_EXISTS, id)) === undefined) throw unknownSession(id, db.location);
  const ids = yield* findIds(db, DESCENDANT_IDS, id);
  const isSubagent = (yield* db.get(IS_SUBAGENT, id)) !== undefined;
  const others = isSubagent ? ids : yield* findIds(db, OTHER_DESCENDANT_IDS, id);
  if (others.length > 0 && !allowed) throw hasDescendants(id, others);
  for (const each of [id, ...ids]) yield* assertFree(db, each);
  return ids;
}

function* findIds(db: Transaction, sql: string, id: string): Work<string[]> {
  return (yield* db.all<{ id: string }>(sql, id)).map((row) => row.id);
}

/** The old sessions that have no descendant to keep, each with its subagents. */
function findOld(rows: readonly PruneRow[]): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const kept = new Set<string>();
  for (const row of rows) {
    let at: PruneRow | undefined = row.old === 1 || row.subagent === 1 ? undefined : row;
    while (at !== undefined && !kept.has(at.id)) {
      kept.add(at.id);
      at = at.parent === null ? undefined : byId.get(at.parent);
    }
  }
  // Reversed, so that parents come first: a subagent is kept if its parent is.
  for (const row of rows.toReversed()) {
    const parent = row.parent === null ? undefined : byId.get(row.parent);
    if (row.subagent === 1 && row.old === 0 && (parent === undefined || kept.has(parent.id))) kept.add(row.id);
  }
  return rows.filter((row) => !kept.has(row.id)).map((row) => row.id);
}

/**
 * One transaction per session, children first, so that an interruption never leaves a session without its parent or
 * its messages. Files are deleted last.
 */
async function removeAll(
  database: Database,
  ids: readonly string[],
  folders: readonly string[],
  { isLenient = false } = {},
): Promise<RemovedSessions> {
  const removed: RemovedSessions = { sessionIds: [], messages: 0 };
  for (const id of ids) {
    const messages = await database.write((db) => removeOne(db, id, isLenient));
    if (messages === undefined) continue;
    removed.messages += messages;
    removed.sessionIds.push(id);
  }
  await database.files.removeUnused(removed.sessionIds, folders);
  return removed;
}

/** Returns the number of deleted messages; undefined if the session is in use and `isLenient` is set. */
function* removeOne(db: Transaction, id: string, isLenient: boolean): Work<number | undefined> {
  yield* db.lock('lease', id);
  yield* db.lock('session', id);
  const refusal = yield* findRefusal(db, id);
  // The session may have been reopened or continued since it was selected; pruning then skips it.
  if (isLenient && (refusal !== undefined || (yield* db.get(HAS_ENDED, id)) === undefined)) return undefined;
  if (refusal !== undefined) throw refusal;
  yield* db.run(KEEP_OWNER, id);
  const messages = yield* db.run(DELETE_MESSAGES, id);
  yield* db.run(DELETE_LEASE, id);
  yield* db.files.recordRemoval(db, id);
  yield* db.run(DELETE_SESSION, id);
  yield* removeUnusedTools(db);
  return messages;
}

function* findRefusal(db: Transaction, id: string): Work<HermesError | undefined> {
  const holder = yield* findHolder(db, id);
  if (holder !== undefined) return isInUse(id, holder);
  if ((yield* db.get(SESSION_EXISTS, id)) === undefined) return unknownSession(id, db.location);
  const descendants = yield* findIds(db, DESCENDANT_IDS, id);
  return descendants.length > 0 ? hasDescendants(id, descendants) : undefined;
}

function* assertFree(db: Transaction, id: string): Work<void> {
  const holder = yield* findHolder(db, id);
  if (holder !== undefined) throw isInUse(id, holder);
}

function isInUse(id: string, { pid, host }: HeldLease): HermesError {
  return new HermesError(`A turn is running in session ${id} (process ${pid} on ${host}); nothing was changed.`, {
    hint: 'Wait for the turn to end, or stop that process, then try again.',
  });
}

function hasDescendants(id: string, descendants: readonly string[]): HermesError {
  const more = descendants.length > IDS_SHOWN ? ', …' : '';
  const names = `${descendants.slice(0, IDS_SHOWN).join(', ')}${more}`;
  return new HermesError(`Session ${id} has descendants (${names}); it was not deleted.`, {
    hint: 'Delete the descendants first, or use --with-descendants to delete all of them.',
  });
}
