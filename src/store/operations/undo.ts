import { HermesError } from '../../base/index.ts';
import type { SessionUndo } from '../../contracts/index.ts';
import { BUDGET_MS, type Database, type Transaction, type Work } from '../database.ts';
import { listFromJson } from '../rows/json-columns.ts';
import { toSeconds } from '../rows/values.ts';

// Rows are moved and restored unchanged, whatever another program stored in them.
const COLUMNS = `id, session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason, reasoning,
reasoning_details, codex_reasoning_items, sent_content, producer, tool_status, copy_of, attachments`;

// The session and those it continues after compression; never the session that a branch was made from.
const LINE = `WITH RECURSIVE line(id, depth) AS (SELECT {text ?1}, 0
  UNION SELECT p.id, depth + 1 FROM line JOIN sessions s ON s.id = line.id JOIN sessions p ON p.id = s.parent_session_id
  WHERE p.end_reason = 'compression' AND s.id NOT IN (SELECT session_id FROM session_branches) AND depth < 10000),
said(id) AS (SELECT COALESCE(copy_of, id) FROM messages WHERE session_id = ?1 AND id >= ?2)`;
const UNDONE_IDS = `${LINE} SELECT m.id FROM messages m WHERE m.session_id IN (SELECT id FROM line)
AND (m.id IN (SELECT id FROM said) OR m.copy_of IN (SELECT id FROM said))`;

const HAS_MESSAGE = 'SELECT 1 FROM messages WHERE session_id = ?1 AND id = ?2';
const HAS_REPLACEMENT = 'SELECT 1 FROM messages WHERE session_id = ?1 AND id >= ?2 AND copy_of = id';
const keep = (columns: string) => `INSERT INTO undone_messages (${columns}, batch, undone_at)
SELECT ${columns}, CAST(?2 AS BIGINT), CAST(?3 AS DOUBLE PRECISION) FROM messages WHERE id IN (${UNDONE_IDS})`;
const REMOVE = 'DELETE FROM messages WHERE id IN (SELECT id FROM undone_messages WHERE batch = ?1)';

// Only the newest batch can be restored: messages that were undone before something else was said belong to another
// course of the conversation.
const NEWEST_BATCH = `SELECT MIN(batch) AS batch FROM undone_messages WHERE session_id = ?1 AND id = batch
AND batch > (SELECT COALESCE(MAX(id), 0) FROM messages WHERE session_id = ?1)`;
const restoreRows = (columns: string) =>
  `INSERT INTO messages (${columns}) SELECT ${columns} FROM undone_messages WHERE batch = ?1`;
const DELETE_BATCH = 'DELETE FROM undone_messages WHERE batch = ?1';

// Copies are counted with their originals.
const OWN = 'SELECT session_id AS id, tool_calls AS calls FROM undone_messages WHERE batch = ?1 AND copy_of IS NULL';
const COUNT = `UPDATE sessions SET
message_count = CASE WHEN COALESCE(message_count, 0) + ?2 > 0 THEN COALESCE(message_count, 0) + ?2 ELSE 0 END,
tool_call_count = CASE WHEN COALESCE(tool_call_count, 0) + ?3 > 0 THEN COALESCE(tool_call_count, 0) + ?3 ELSE 0 END
WHERE id = ?1`;
const BATCH_SIZE = 'SELECT COUNT(*) AS messages FROM undone_messages WHERE batch = ?1 AND session_id = ?2';

export function createUndo(database: Database): SessionUndo {
  return {
    undoMessages: (sessionId, from) => database.write((db) => undo(db, sessionId, from), BUDGET_MS.messages),
    restoreMessages: (sessionId) => database.write((db) => restore(db, sessionId), BUDGET_MS.messages),
  };
}

/** A batch is identified by its first message in the session in which it was undone. */
function* undo(db: Transaction, sessionId: string, from: number): Work<number> {
  yield* db.lock('session', sessionId);
  if ((yield* db.get(HAS_MESSAGE, sessionId, from)) === undefined) {
    throw new HermesError(`Session ${sessionId} has no message ${from}; nothing was undone.`);
  }
  if ((yield* db.get(HAS_REPLACEMENT, sessionId, from)) !== undefined) {
    throw new HermesError(`Messages of session ${sessionId} that were compressed cannot be undone.`);
  }
  yield* db.run(keep(allColumns(db)), sessionId, from, toSeconds(db.clock.now()));
  yield* db.run(REMOVE, from);
  yield* count(db, from, -1);
  return yield* batchSize(db, sessionId, from);
}

function* restore(db: Transaction, sessionId: string): Work<number> {
  yield* db.lock('session', sessionId);
  const batch = (yield* db.get<{ batch: number | null }>(NEWEST_BATCH, sessionId))?.batch ?? null;
  if (batch === null) return 0;
  const messages = yield* batchSize(db, sessionId, batch);
  yield* db.run(restoreRows(allColumns(db)), batch);
  yield* count(db, batch, 1);
  yield* db.run(DELETE_BATCH, batch);
  return messages;
}

function allColumns(db: Transaction): string {
  return `${COLUMNS}, ${db.messages.ownColumn}`;
}

function* count(db: Transaction, batch: number, direction: 1 | -1): Work<void> {
  const counts = new Map<string, { messages: number; calls: number }>();
  for (const { id, calls } of yield* db.all<{ id: string; calls: string | null }>(OWN, batch)) {
    const counted = counts.get(id) ?? { messages: 0, calls: 0 };
    counted.messages += 1;
    counted.calls += listFromJson(calls ?? '')?.length ?? 0;
    counts.set(id, counted);
  }
  for (const [id, { messages, calls }] of counts) yield* db.run(COUNT, id, direction * messages, direction * calls);
}

function* batchSize(db: Transaction, sessionId: string, batch: number): Work<number> {
  return (yield* db.get<{ messages: number }>(BATCH_SIZE, batch, sessionId))?.messages ?? 0;
}
