import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type HermesError, sessionFolderName } from '../../base/index.ts';
import type { RemovedSessions, SessionRemoval } from '../../contracts/index.ts';
import { findOld, hasDescendants, isInUse, type PruneRow, type RemovalOptions } from '../removal-rules.ts';
import { removeUnusedBlobs } from './blobs.ts';
import type { Connection } from './connection.ts';
import { findHolder } from './leases.ts';
import { DESCENDANT_IDS } from './lineage.ts';
import { unknownSession } from '../session-errors.ts';
import { isSubagents } from './subagents.ts';
import { toSeconds } from '../rows/time.ts';

const EXISTS = 'SELECT 1 FROM sessions WHERE id = ?';
// A subagent that a crash cut short was never ended by anybody; that it does not run is what its lease says.
const HAS_ENDED = `SELECT 1 FROM sessions s WHERE s.id = ? AND (s.ended_at IS NOT NULL OR ${isSubagents('s')})`;
/** Of those below a session, what is more than work for it. */
const GOES_ON = DESCENDANT_IDS.replace('ORDER BY', `AND NOT ${isSubagents('s')} ORDER BY`);
const IS_SUBAGENT = `SELECT 1 FROM sessions s WHERE s.id = ? AND ${isSubagents('s')}`;
const DELETE_MESSAGES = 'DELETE FROM messages WHERE session_id = ?';
const DELETE_UNDONE = 'DELETE FROM undone_messages WHERE session_id = ?';
const DELETE_LEASE = 'DELETE FROM session_leases WHERE session_id = ?';
const DELETE_SESSION = 'DELETE FROM sessions WHERE id = ?';
const RESET_COUNTS = 'UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = ?';
const NOTE_REMOVAL = 'INSERT OR IGNORE INTO session_removals (session_id) VALUES (?)';
const REMOVALS = 'SELECT session_id FROM session_removals';
const FORGET_REMOVAL = 'DELETE FROM session_removals WHERE session_id = ?';

// Newest first, so that children come before their parents. The look at the messages comes last, where it is needed.
const ALL_SESSIONS = `SELECT s.id, s.parent_session_id AS parent, ${isSubagents('s')} AS subagent,
(s.ended_at IS NOT NULL OR ${isSubagents('s')}) AND s.started_at < ?1 AND (?2 IS NULL OR s.source = ?2)
AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.timestamp >= ?1) AS old
FROM sessions s ORDER BY s.rowid DESC`;

export function createRemoval(connection: Connection, options: RemovalOptions = {}): SessionRemoval {
  const folders = options.sessionFolders ?? [];
  return {
    async deleteSession(id, { withDescendants = false } = {}) {
      const descendants = await connection.read(() => findDescendants(connection, id, withDescendants));
      return removeAll(connection, [...descendants.reverse(), id], folders);
    },
    async pruneSessions({ inactiveSince, source }) {
      const filter = [toSeconds(inactiveSince), source ?? null] as const;
      const rows = await connection.read(() => connection.all(ALL_SESSIONS, ...filter) as PruneRow[]);
      const ids = findOld(rows);
      return removeAll(connection, ids, folders, { isLenient: true });
    },
    clearMessages: (id) =>
      connection.write(() => {
        assertFree(connection, id);
        connection.run(DELETE_MESSAGES, id);
        connection.run(DELETE_UNDONE, id);
        if (connection.run(RESET_COUNTS, id) === 0) throw unknownSession(id, connection.file);
      }),
  };
}

function findDescendants(connection: Connection, id: string, allowed: boolean): string[] {
  if (connection.get(EXISTS, id) === undefined) throw unknownSession(id, connection.file);
  const find = (sql: string) => (connection.all(sql, id) as { id: string }[]).map((row) => row.id);
  const ids = find(DESCENDANT_IDS);
  const more = connection.get(IS_SUBAGENT, id) === undefined ? find(GOES_ON) : ids;
  if (more.length > 0 && !allowed) throw hasDescendants(id, more);
  for (const each of [id, ...ids]) assertFree(connection, each);
  return ids;
}

/**
 * One transaction per session, children first: whatever stops this on its way, no session is without its parent and
 * none without its messages. Files go last; what is left of them by a crash goes with the next removal.
 */
async function removeAll(
  connection: Connection,
  ids: readonly string[],
  folders: readonly string[],
  { isLenient = false } = {},
): Promise<RemovedSessions> {
  const removed: RemovedSessions = { sessionIds: [], messages: 0 };
  for (const id of ids) {
    const messages = await connection.write(() => {
      const refusal = findRefusal(connection, id);
      // Since it was looked at, it may have been opened again or got a child: pruning leaves it, as any active one.
      if (isLenient && (refusal !== undefined || connection.get(HAS_ENDED, id) === undefined)) return undefined;
      if (refusal !== undefined) throw refusal;
      return removeOne(connection, id);
    });
    if (messages === undefined) continue;
    removed.messages += messages;
    removed.sessionIds.push(id);
  }
  await connection.write(() => removeFiles(connection, folders));
  return removed;
}

function findRefusal(connection: Connection, id: string): HermesError | undefined {
  const holder = findHolder(connection, id);
  if (holder !== undefined) return isInUse(id, holder);
  if (connection.get(EXISTS, id) === undefined) return unknownSession(id, connection.file);
  const descendants = (connection.all(DESCENDANT_IDS, id) as { id: string }[]).map((row) => row.id);
  return descendants.length > 0 ? hasDescendants(id, descendants) : undefined;
}

function removeOne(connection: Connection, id: string): number {
  const messages = connection.run(DELETE_MESSAGES, id);
  connection.run(DELETE_LEASE, id);
  connection.run(NOTE_REMOVAL, id);
  connection.run(DELETE_SESSION, id);
  return messages;
}

// Under the write lock, so that nobody refers to a blob that is just being taken away.
function removeFiles(connection: Connection, folders: readonly string[]): void {
  for (const { session_id: id } of connection.all(REMOVALS) as { session_id: string }[]) {
    // An id that is in use again, after an import, keeps its files.
    const isBack = connection.get(EXISTS, id) !== undefined;
    for (const folder of isBack ? [] : folders) {
      rmSync(join(folder, sessionFolderName(id)), { recursive: true, force: true });
    }
    connection.run(FORGET_REMOVAL, id);
  }
  removeUnusedBlobs(connection);
}

function assertFree(connection: Connection, id: string): void {
  const holder = findHolder(connection, id);
  if (holder !== undefined) throw isInUse(id, holder);
}
