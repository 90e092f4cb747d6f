import { HermesError } from '../../base/index.ts';
import type { KeptMessage, NewSession, SessionLineage, SessionRecord } from '../../contracts/index.ts';
import { countToolCalls } from '../count-tool-calls.ts';
import { messageToRow } from '../message-row.ts';
import { rowToSession, type SessionRow } from '../rows/session-row.ts';
import { toSeconds } from '../rows/time.ts';
import { unknownSession } from '../session-errors.ts';
import { branchSession } from './branch.ts';
import type { Connection, Queries } from './connection.ts';
import { copyMessage, copyShortened, shareBlobs } from './copy-messages.ts';
import { DESCENDANTS } from './descendants.ts';
import { findByTitle, lockTitles, nextTitle } from './lineage-titles.ts';
import { insertMessages, markReplacement } from './messages.ts';
import { BUDGET_MS } from './retry.ts';
import { insertSession, tellCreateError } from './session-changes.ts';
import { SESSION_BY_ID, SESSION_COLUMNS } from './session-columns.ts';
import { isDelegated } from './subagents.ts';

/** The end reason of a session that goes on in a child. */
const COMPRESSION = 'compression';

// A subagent ends the walk: it knows nothing of the conversation it works for.
const ANCESTORS = `WITH RECURSIVE line(id, depth) AS (
  SELECT s.parent_session_id, 1 FROM sessions s
  WHERE s.id = $1 AND s.parent_session_id IS NOT NULL AND NOT ${isDelegated('s')}
  UNION SELECT p.parent_session_id, depth + 1 FROM sessions p JOIN line ON p.id = line.id
  WHERE p.parent_session_id IS NOT NULL AND NOT ${isDelegated('p')} AND depth < 10000)
SELECT ${SESSION_COLUMNS} FROM (SELECT id, MIN(depth) AS depth FROM line GROUP BY id) a
JOIN sessions s ON s.id = a.id WHERE s.id <> $1 ORDER BY a.depth DESC`;

const CONTINUATION = `SELECT ${SESSION_COLUMNS} FROM sessions s JOIN sessions p ON p.id = s.parent_session_id
WHERE p.id = $1 AND p.end_reason = '${COMPRESSION}' AND s.started_at >= p.ended_at
AND s.id NOT IN (SELECT session_id FROM session_branches) AND NOT ${isDelegated('s')}
ORDER BY s.started_at DESC, s.place DESC LIMIT 1`;

// The nearest session first, and a shortened copy by what its original says.
const LAST_RESULT = `WITH RECURSIVE line(id, depth) AS (SELECT $1::text COLLATE "C", 0
  UNION SELECT p.id, depth + 1 FROM line JOIN sessions s ON s.id = line.id JOIN sessions p ON p.id = s.parent_session_id
  WHERE p.end_reason = '${COMPRESSION}' AND s.id NOT IN (SELECT session_id FROM session_branches)
  AND NOT ${isDelegated('s')} AND depth < 10000)
SELECT COALESCE(o.content, m.content) AS content FROM line JOIN messages m ON m.session_id = line.id
LEFT JOIN messages o ON o.id = m.copy_of WHERE m.role = 'tool' AND m.tool_name = $2
ORDER BY line.depth, m.id DESC LIMIT 1`;

const LOCK = 'SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE';
const END = `UPDATE sessions SET ended_at = $2, end_reason = '${COMPRESSION}' WHERE id = $1`;
// The turn that splits a session goes on in the child, and so does its right to.
const FORGET_LEASE = `DELETE FROM session_leases WHERE session_id = $2
AND EXISTS (SELECT 1 FROM session_leases WHERE session_id = $1 AND released = 0)`;
const MOVE_LEASE = 'UPDATE session_leases SET session_id = $2 WHERE session_id = $1 AND released = 0';
const COUNT = 'UPDATE sessions SET message_count = $2, tool_call_count = $3 WHERE id = $1';

export function createLineage(connection: Connection): SessionLineage {
  const find = (sql: string, id: string) =>
    connection.read(async (db) => (await db.all<SessionRow>(sql, id)).map(rowToSession));
  return {
    getAncestors: (id) => find(ANCESTORS, id),
    getDescendants: (id) => find(DESCENDANTS, id),
    newestInLineage: (id) => connection.read((db) => followContinuations(db, id)),
    getLastResult: (id, toolName) =>
      connection.read(async (db) => (await db.get<{ content: string }>(LAST_RESULT, id, toolName))?.content),
    splitSession: (parentId, child, messages) => splitSession(connection, parentId, child, messages),
    branchSession: (parentId, branch) => branchSession(connection, parentId, branch),
    resolveSessionByTitle: (title) => connection.read((db) => findByTitle(db, title)),
    getNextTitleInLineage: (title) => connection.read((db) => nextTitle(db, title)),
  };
}

async function followContinuations(db: Queries, id: string): Promise<SessionRecord | undefined> {
  const seen = new Set<string>();
  let newest = await db.get<SessionRow>(SESSION_BY_ID, id);
  for (let next = newest; next !== undefined && !seen.has(next.id); ) {
    newest = next;
    seen.add(next.id);
    next = await db.get<SessionRow>(CONTINUATION, next.id);
  }
  return newest && rowToSession(newest);
}

async function splitSession(
  connection: Connection,
  parentId: string,
  child: Omit<NewSession, 'parentSessionId'>,
  messages: readonly KeptMessage[],
): Promise<void> {
  const session = { ...child, parentSessionId: parentId };
  try {
    await connection.write((db) => split(connection, db, session, messages), BUDGET_MS.messages);
  } catch (thrown) {
    throw await tellCreateError(connection, session, thrown);
  }
}

async function split(
  connection: Connection,
  db: Queries,
  session: NewSession & { parentSessionId: string },
  messages: readonly KeptMessage[],
): Promise<void> {
  const { id, parentSessionId: parentId } = session;
  await lockTitles(db);
  await db.run(LOCK, parentId);
  const parent = await db.get<SessionRow>(SESSION_BY_ID, parentId);
  if (parent === undefined) throw unknownSession(parentId, connection.place);
  await assertUnsplit(db, parentId);
  await db.run(END, parentId, toSeconds(session.startedAt));
  const title = session.title ?? (parent.title === null ? undefined : await nextTitle(db, parent.title));
  await insertSession(db, { ...session, title });
  await db.run(FORGET_LEASE, parentId, id);
  await db.run(MOVE_LEASE, parentId, id);
  const timestamp = toSeconds(connection.clock.now());
  for (const kept of messages) await keepMessage(db, kept, { into: id, from: parentId, timestamp });
  const own = messages.flatMap((kept) => ('copyOf' in kept || kept.isReplacement ? [] : [kept.message]));
  await db.run(COUNT, id, own.length, countToolCalls(own));
  await shareBlobs(db, { into: id, from: parentId });
}

/** Two continuations would be two truths; the second one comes from somebody who did not see the first. */
async function assertUnsplit(db: Queries, id: string): Promise<void> {
  const child = await db.get<SessionRow>(CONTINUATION, id);
  if (child === undefined) return;
  throw new HermesError(`Session ${id} was compressed already and goes on as session ${child.id}; it was not split.`);
}

async function keepMessage(
  db: Queries,
  kept: KeptMessage,
  { into, from, timestamp }: { into: string; from: string; timestamp: number },
): Promise<void> {
  if (!('copyOf' in kept)) {
    const ids = await insertMessages(db, into, [{ row: messageToRow(kept.message), timestamp }]);
    if (kept.isReplacement) await markReplacement(db, ids);
    return;
  }
  const { copyOf: messageId, message } = kept;
  const copy = { into, from, messageId, timestamp };
  const done = message === undefined ? await copyMessage(db, copy) : await copyShortened(db, copy, message);
  if (!done) throw new HermesError(`Session ${from} has no message ${messageId} to keep; it was not split.`);
}
