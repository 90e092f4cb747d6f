import { HermesError } from '../../base/index.ts';
import type { SessionUndo } from '../../contracts/index.ts';
import type { Connection } from './connection.ts';
import { BUDGET_MS } from './retry.ts';
import { toSeconds } from '../rows/time.ts';

// Rows are moved as they are, whatever another program put into them, and so are moved back the same.
const COLUMNS = `id, session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count, finish_reason,
reasoning, reasoning_details, codex_reasoning_items, sent_content, producer, tool_status, copy_of, attachments`;

const OWN = 'SELECT id FROM messages WHERE session_id = ?1 AND id >= ?2';
// The session and those it continues after compression; never what a branch came from.
const LINE = `WITH RECURSIVE line(id, depth) AS (SELECT ?1, 0
  UNION SELECT p.id, depth + 1 FROM line JOIN sessions s ON s.id = line.id JOIN sessions p ON p.id = s.parent_session_id
  WHERE p.end_reason = 'compression' AND s.id NOT IN (SELECT session_id FROM session_branches) AND depth < 10000),
said(id) AS (SELECT COALESCE(copy_of, id) FROM messages WHERE session_id = ?1 AND id >= ?2)`;
const TAKEN = `${LINE} SELECT m.id FROM messages m WHERE m.session_id IN (SELECT id FROM line)
AND (m.id IN (SELECT id FROM said) OR m.copy_of IN (SELECT id FROM said))`;

const HAS_MESSAGE = 'SELECT 1 FROM messages WHERE session_id = ?1 AND id = ?2';
const HAS_REPLACEMENT = `${OWN} AND copy_of = id`;
const KEEP = `INSERT INTO undone_messages (${COLUMNS}, batch, undone_at)
SELECT ${COLUMNS}, ?2, ?3 FROM messages WHERE id IN (${TAKEN})`;
const REMOVE = 'DELETE FROM messages WHERE id IN (SELECT id FROM undone_messages WHERE batch = ?)';

// Only the newest can come back: what was taken out before something else was said belongs to another course of things.
const NEWEST_BATCH = `SELECT MIN(batch) AS batch FROM undone_messages WHERE session_id = ?1 AND id = batch
AND batch > (SELECT COALESCE(MAX(id), 0) FROM messages WHERE session_id = ?1)`;
const RESTORE = `INSERT INTO messages (${COLUMNS}) SELECT ${COLUMNS} FROM undone_messages WHERE batch = ?`;
const FORGET = 'DELETE FROM undone_messages WHERE batch = ?';

// Copies count where their originals stand.
const COUNTS = `SELECT session_id AS id, COUNT(*) AS messages,
SUM(CASE WHEN json_valid(tool_calls) THEN json_array_length(tool_calls) ELSE 0 END) AS calls
FROM undone_messages WHERE batch = ? AND copy_of IS NULL GROUP BY session_id`;
const COUNT = `UPDATE sessions SET message_count = MAX(0, COALESCE(message_count, 0) + ?2),
tool_call_count = MAX(0, COALESCE(tool_call_count, 0) + ?3) WHERE id = ?1`;
const HOW_MANY = 'SELECT COUNT(*) AS messages FROM undone_messages WHERE batch = ?1 AND session_id = ?2';

export function createUndo(connection: Connection): SessionUndo {
  return {
    undoMessages: (sessionId, from) => connection.write(() => undo(connection, sessionId, from), BUDGET_MS.messages),
    restoreMessages: (sessionId) => connection.write(() => restore(connection, sessionId), BUDGET_MS.messages),
  };
}

/** A batch is called after the message it begins with, in the session in which it was taken out. */
function undo(connection: Connection, sessionId: string, from: number): number {
  if (connection.get(HAS_MESSAGE, sessionId, from) === undefined)
    throw new HermesError(`Session ${sessionId} has no message ${from}; nothing was taken back.`);
  if (connection.get(HAS_REPLACEMENT, sessionId, from) !== undefined)
    throw new HermesError(`What stands for compressed messages in session ${sessionId} cannot be taken back.`);
  connection.run(KEEP, sessionId, from, toSeconds(connection.clock.now()));
  connection.run(REMOVE, from);
  count(connection, from, -1);
  return howMany(connection, sessionId, from);
}

function restore(connection: Connection, sessionId: string): number {
  const { batch } = connection.get(NEWEST_BATCH, sessionId) as { batch: number | null };
  if (batch === null) return 0;
  const messages = howMany(connection, sessionId, batch);
  connection.run(RESTORE, batch);
  count(connection, batch, 1);
  connection.run(FORGET, batch);
  return messages;
}

function count(connection: Connection, batch: number, direction: 1 | -1): void {
  const rows = connection.all(COUNTS, batch) as { id: string; messages: number; calls: number }[];
  for (const { id, messages, calls } of rows) connection.run(COUNT, id, direction * messages, direction * calls);
}

function howMany(connection: Connection, sessionId: string, batch: number): number {
  return (connection.get(HOW_MANY, batch, sessionId) as { messages: number }).messages;
}
