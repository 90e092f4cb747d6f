import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HermesError, sessionFolderName } from '../../base/index.ts';
import type { RemovedSessions, SessionRemoval } from '../../contracts/index.ts';
import { findOld, hasDescendants, isInUse, type PruneRow, type RemovalOptions } from '../removal-rules.ts';
import { toSeconds } from '../rows/time.ts';
import { unknownSession } from '../session-errors.ts';
import { removeUnusedBlobs } from './blobs.ts';
import type { Connection, Queries } from './connection.ts';
import { DESCENDANT_IDS, descendantIdsWhere } from './descendants.ts';
import { findHolder, lockLease } from './leases.ts';
import { isSubagents } from './subagents.ts';

const EXISTS = 'SELECT 1 FROM sessions WHERE id = $1';
const LOCK = 'SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE';
// A subagent that a crash cut short was never ended by anybody; that it does not run is what its lease says.
const HAS_ENDED = `SELECT 1 FROM sessions s WHERE s.id = $1 AND (s.ended_at IS NOT NULL OR ${isSubagents('s')})`;
/** Of those below a session, what is more than work for it. */
const GOES_ON = descendantIdsWhere(`NOT ${isSubagents('s')}`);
const IS_SUBAGENT = `SELECT 1 FROM sessions s WHERE s.id = $1 AND ${isSubagents('s')}`;
const DELETE_MESSAGES = 'DELETE FROM messages WHERE session_id = $1';
const DELETE_UNDONE = 'DELETE FROM undone_messages WHERE session_id = $1';
const DELETE_LEASE = 'DELETE FROM session_leases WHERE session_id = $1';
const DELETE_SESSION = 'DELETE FROM sessions WHERE id = $1';
const RESET_COUNTS = 'UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = $1';

// Newest first, so that children come before their parents.
const ALL_SESSIONS = `SELECT s.id, s.parent_session_id AS parent, (${isSubagents('s')})::int AS subagent,
((s.ended_at IS NOT NULL OR ${isSubagents('s')}) AND s.started_at < $1 AND ($2::text IS NULL OR s.source = $2)
AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.timestamp >= $1))::int AS old
FROM sessions s ORDER BY s.place DESC`;

export function createRemoval(connection: Connection, options: RemovalOptions = {}): SessionRemoval {
  const folders = options.sessionFolders ?? [];
  return {
    async deleteSession(id, { withDescendants = false } = {}) {
      const descendants = await connection.read((db) => findDescendants(connection, db, id, withDescendants));
      return removeAll(connection, [...descendants.reverse(), id], folders);
    },
    async pruneSessions({ inactiveSince, source }) {
      const filter = [toSeconds(inactiveSince), source ?? null] as const;
      const rows = await connection.read((db) => db.all<PruneRow>(ALL_SESSIONS, ...filter));
      return removeAll(connection, findOld(rows), folders, { isLenient: true });
    },
    clearMessages: (id) =>
      connection.write(async (db) => {
        await lockLease(db, id);
        await assertFree(connection, db, id);
        await db.run(LOCK, id);
        await db.run(DELETE_MESSAGES, id);
        await db.run(DELETE_UNDONE, id);
        if ((await db.run(RESET_COUNTS, id)) === 0) throw unknownSession(id, connection.place);
      }),
  };
}

async function findDescendants(connection: Connection, db: Queries, id: string, allowed: boolean): Promise<string[]> {
  if ((await db.get(EXISTS, id)) === undefined) throw unknownSession(id, connection.place);
  const find = async (sql: string) => (await db.all<{ id: string }>(sql, id)).map((row) => row.id);
  const ids = await find(DESCENDANT_IDS);
  const more = (await db.get(IS_SUBAGENT, id)) === undefined ? await find(GOES_ON) : ids;
  if (more.length > 0 && !allowed) throw hasDescendants(id, more);
  for (const each of [id, ...ids]) await assertFree(connection, db, each);
  return ids;
}

/**
 * One transaction per session, children first: whatever stops this on its way, no session is without its parent and none
 * without its messages. Files go last, those of this machine: the others are not within reach.
 */
async function removeAll(
  connection: Connection,
  ids: readonly string[],
  folders: readonly string[],
  { isLenient = false } = {},
): Promise<RemovedSessions> {
  const removed: RemovedSessions = { sessionIds: [], messages: 0 };
  for (const id of ids) {
    const messages = await connection.write(async (db) => {
      await lockLease(db, id);
      await db.run(LOCK, id);
      const refusal = await findRefusal(connection, db, id);
      // Since it was looked at, it may have been opened again or got a child: pruning leaves it, as any active one.
      if (isLenient && (refusal !== undefined || (await db.get(HAS_ENDED, id)) === undefined)) return undefined;
      if (refusal !== undefined) throw refusal;
      return removeOne(db, id);
    });
    if (messages === undefined) continue;
    removed.messages += messages;
    removed.sessionIds.push(id);
  }
  await connection.write(removeUnusedBlobs);
  for (const id of removed.sessionIds) await removeFiles(id, folders);
  return removed;
}

async function findRefusal(connection: Connection, db: Queries, id: string): Promise<HermesError | undefined> {
  const holder = await findHolder(connection, db, id);
  if (holder !== undefined) return isInUse(id, holder);
  if ((await db.get(EXISTS, id)) === undefined) return unknownSession(id, connection.place);
  const descendants = (await db.all<{ id: string }>(DESCENDANT_IDS, id)).map((row) => row.id);
  return descendants.length > 0 ? hasDescendants(id, descendants) : undefined;
}

async function removeOne(db: Queries, id: string): Promise<number> {
  const messages = await db.run(DELETE_MESSAGES, id);
  await db.run(DELETE_LEASE, id);
  await db.run(DELETE_SESSION, id);
  return messages;
}

async function removeFiles(id: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rm(join(folder, sessionFolderName(id)), { recursive: true, force: true });
}

async function assertFree(connection: Connection, db: Queries, id: string): Promise<void> {
  const holder = await findHolder(connection, db, id);
  if (holder !== undefined) throw isInUse(id, holder);
}
