import { HermesError } from '../../base/index.ts';
import type { KeptMessage, NewSession, SessionLineage, SessionRecord } from '../../contracts/index.ts';
import { countToolCalls } from '../count-tool-calls.ts';
import { messageToRow } from '../message-row.ts';
import { rowToSession, type SessionRow } from '../rows/session-row.ts';
import { branchSession } from './branch.ts';
import type { Connection } from './connection.ts';
import { copyMessage, copyShortened, shareBlobs } from './copy-messages.ts';
import { findByTitle, nextTitle } from './lineage-titles.ts';
import { insertMessage, markReplacement } from './messages.ts';
import { BUDGET_MS } from './retry.ts';
import { unknownSession } from '../session-errors.ts';
import { insertSession, tellCreateError } from './session-changes.ts';
import { SESSION_BY_ID, SESSION_COLUMNS } from './session-row.ts';
import { isDelegated } from './subagents.ts';
import { toSeconds } from '../rows/time.ts';

/** The end reason of a session that goes on in a child. */
const COMPRESSION = 'compression';

// UNION and not UNION ALL: a circle, which only another program could have made, ends the walk. So does a subagent, which
// knows nothing of the conversation it works for.
const ANCESTORS = `WITH RECURSIVE line(id, depth) AS (
  SELECT s.parent_session_id, 1 FROM sessions s
  WHERE s.id = ?1 AND s.parent_session_id IS NOT NULL AND NOT ${isDelegated('s')}
  UNION SELECT p.parent_session_id, depth + 1 FROM sessions p JOIN line ON p.id = line.id
  WHERE p.parent_session_id IS NOT NULL AND NOT ${isDelegated('p')} AND depth < 10000)
SELECT ${SESSION_COLUMNS} FROM (SELECT id, MIN(depth) AS depth FROM line GROUP BY id) a
JOIN sessions s ON s.id = a.id WHERE s.id <> ?1 ORDER BY a.depth DESC`;

export const DESCENDANT_IDS = `WITH RECURSIVE line(id) AS (
  SELECT id FROM sessions WHERE parent_session_id = ?1
  UNION SELECT c.id FROM sessions c JOIN line ON c.parent_session_id = line.id)
SELECT s.id FROM sessions s WHERE s.id IN line AND s.id <> ?1 ORDER BY s.rowid`;
const DESCENDANTS = DESCENDANT_IDS.replace('SELECT s.id FROM', `SELECT ${SESSION_COLUMNS} FROM`);

// Subagents are children too, and those of other programs are known only by having begun before their parent ended. A
// branch goes its own way whenever it began.
const CONTINUATION = `SELECT ${SESSION_COLUMNS} FROM sessions s JOIN sessions p ON p.id = s.parent_session_id
WHERE p.id = ? AND p.end_reason = '${COMPRESSION}' AND s.started_at >= p.ended_at
AND s.id NOT IN (SELECT session_id FROM session_branches) AND NOT ${isDelegated('s')}
ORDER BY s.started_at DESC, s.rowid DESC LIMIT 1`;

// The nearest session first, and a shortened copy by what its original says.
const LAST_RESULT = `WITH RECURSIVE line(id, depth) AS (SELECT ?1, 0
  UNION SELECT p.id, depth + 1 FROM line JOIN sessions s ON s.id = line.id JOIN sessions p ON p.id = s.parent_session_id
  WHERE p.end_reason = '${COMPRESSION}' AND s.id NOT IN (SELECT session_id FROM session_branches)
  AND NOT ${isDelegated('s')} AND depth < 10000)
SELECT COALESCE(o.content, m.content) AS content FROM line JOIN messages m ON m.session_id = line.id
LEFT JOIN messages o ON o.id = m.copy_of WHERE m.role = 'tool' AND m.tool_name = ?2
ORDER BY line.depth, m.id DESC LIMIT 1`;

const END = `UPDATE sessions SET ended_at = ?, end_reason = '${COMPRESSION}' WHERE id = ?`;
// The turn that splits a session goes on in the child, and so does its right to.
const MOVE_LEASE = 'UPDATE OR REPLACE session_leases SET session_id = ?2 WHERE session_id = ?1 AND released = 0';
const COUNT = 'UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?';

export function createLineage(connection: Connection): SessionLineage {
  const find = (sql: string, id: string) => (connection.all(sql, id) as SessionRow[]).map(rowToSession);
  return {
    getAncestors: (id) => connection.read(() => find(ANCESTORS, id)),
    getDescendants: (id) => connection.read(() => find(DESCENDANTS, id)),
    newestInLineage: (id) => connection.read(() => followContinuations(connection, id)),
    getLastResult: (id, toolName) =>
      connection.read(() => (connection.get(LAST_RESULT, id, toolName) as { content: string } | undefined)?.content),
    splitSession: (parentId, child, messages) => splitSession(connection, parentId, child, messages),
    branchSession: (parentId, branch) => branchSession(connection, parentId, branch),
    resolveSessionByTitle: (title) => connection.read(() => findByTitle(connection, title)),
    getNextTitleInLineage: (title) => connection.read(() => nextTitle(connection, title)),
  };
}

function followContinuations(connection: Connection, id: string): SessionRecord | undefined {
  const seen = new Set<string>();
  let newest = connection.get(SESSION_BY_ID, id) as SessionRow | undefined;
  for (let next = newest; next !== undefined && !seen.has(next.id); ) {
    newest = next;
    seen.add(next.id);
    next = connection.get(CONTINUATION, next.id) as SessionRow | undefined;
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
    await connection.write(() => split(connection, session, messages), BUDGET_MS.messages);
  } catch (thrown) {
    throw await tellCreateError(connection, session, thrown);
  }
}

function split(
  connection: Connection,
  session: NewSession & { parentSessionId: string },
  messages: readonly KeptMessage[],
): void {
  const { id, parentSessionId: parentId } = session;
  const parent = connection.get(SESSION_BY_ID, parentId) as SessionRow | undefined;
  if (parent === undefined) throw unknownSession(parentId, connection.file);
  assertUnsplit(connection, parentId);
  connection.run(END, toSeconds(session.startedAt), parentId);
  const title = session.title ?? (parent.title === null ? undefined : nextTitle(connection, parent.title));
  insertSession(connection, { ...session, title });
  connection.run(MOVE_LEASE, parentId, id);
  // All have the time of the split: whoever sorts by time, as the original does, gets them in their order.
  const timestamp = toSeconds(connection.clock.now());
  for (const kept of messages) keepMessage(connection, kept, { into: id, from: parentId, timestamp });
  const own = messages.flatMap((kept) => ('copyOf' in kept || kept.isReplacement ? [] : [kept.message]));
  connection.run(COUNT, own.length, countToolCalls(own), id);
  shareBlobs(connection, { into: id, from: parentId });
}

/** Two continuations would be two truths; the second one comes from somebody who did not see the first. */
function assertUnsplit(connection: Connection, id: string): void {
  const child = connection.get(CONTINUATION, id) as SessionRow | undefined;
  if (child === undefined) return;
  throw new HermesError(`Session ${id} was compressed already and goes on as session ${child.id}; it was not split.`);
}

function keepMessage(
  connection: Connection,
  kept: KeptMessage,
  { into, from, timestamp }: { into: string; from: string; timestamp: number },
): void {
  if (!('copyOf' in kept)) {
    insertMessage(connection, into, messageToRow(kept.message), { timestamp });
    if (kept.isReplacement) markReplacement(connection);
    return;
  }
  const { copyOf: messageId, message } = kept;
  const copy = { into, from, messageId, timestamp };
  const done = message === undefined ? copyMessage(connection, copy) : copyShortened(connection, copy, message);
  if (!done) throw new HermesError(`Session ${from} has no message ${messageId} to keep; it was not split.`);
}
