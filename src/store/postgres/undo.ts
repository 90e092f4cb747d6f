import { HermesError } from '../../base/index.ts';
import type { SessionUndo } from '../../contracts/index.ts';
import { toSeconds } from '../rows/time.ts';
import { toolCallsFromJson } from '../tool-call-json.ts';
import type { Connection, Queries } from './connection.ts';
import { BUDGET_MS } from './retry.ts';

const COLUMNS = `id, session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason,
reasoning, reasoning_details, codex_reasoning_items, sent_content, producer, tool_status, copy_of, attachments, terms`;

// The session and those it continues after compression; never what a branch came from.
const LINE = `WITH RECURSIVE line(id, depth) AS (SELECT $1::text COLLATE "C", 0
  UNION SELECT p.id, depth + 1 FROM line JOIN sessions s ON s.id = line.id JOIN sessions p ON p.id = s.parent_session_id
  WHERE p.end_reason = 'compression' AND s.id NOT IN (SELECT session_id FROM session_branches) AND depth < 10000),
said(id) AS (SELECT COALESCE(copy_of, id) FROM messages WHERE session_id = $1 AND id >= $2)`;
const TAKEN = `${LINE} SELECT m.id FROM messages m WHERE m.session_id IN (SELECT id FROM line)
AND (m.id IN (SELECT id FROM said) OR m.copy_of IN (SELECT id FROM said))`;

const LOCK = 'SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE';
const HAS_MESSAGE = 'SELECT 1 FROM messages WHERE session_id = $1 AND id = $2';
const HAS_REPLACEMENT = 'SELECT 1 FROM messages WHERE session_id = $1 AND id >= $2 AND copy_of = id';
const KEEP = `INSERT INTO undone_messages (${COLUMNS}, batch, undone_at)
SELECT ${COLUMNS}, $2::bigint, $3::float8 FROM messages WHERE id IN (${TAKEN})`;
const REMOVE = 'DELETE FROM messages WHERE id IN (SELECT id FROM undone_messages WHERE batch = $1)';

// Only the newest can come back: what was taken out before something else was said belongs to another course of things.
const NEWEST_BATCH = `SELECT MIN(batch) AS batch FROM undone_messages WHERE session_id = $1 AND id = batch
AND batch > (SELECT COALESCE(MAX(id), 0) FROM messages WHERE session_id = $1)`;
const RESTORE = `INSERT INTO messages (${COLUMNS}) SELECT ${COLUMNS} FROM undone_messages WHERE batch = $1`;
const FORGET = 'DELETE FROM undone_messages WHERE batch = $1';

// Copies count where their originals stand.
const OWN = `SELECT session_id AS id, tool_calls AS calls FROM undone_messages WHERE batch = $1 AND copy_of IS NULL`;
const COUNT = `UPDATE sessions SET message_count = GREATEST(0, message_count + $2),
tool_call_count = GREATEST(0, tool_call_count + $3) WHERE id = $1`;
const HOW_MANY = 'SELECT COUNT(*) AS messages FROM undone_messages WHERE batch = $1 AND session_id = $2';

export function createUndo(connection: Connection): SessionUndo {
  return {
    undoMessages: (sessionId, from) =>
      connection.write((db) => undo(connection, db, sessionId, from), BUDGET_MS.messages),
    restoreMessages: (sessionId) => connection.write((db) => restore(db, sessionId), BUDGET_MS.messages),
  };
}

/** A batch is called after the message it begins with, in the session in which it was taken out. */
async function undo(connection: Connection, db: Queries, sessionId: string, from: number): Promise<number> {
  await db.run(LOCK, sessionId);
  if ((await db.get(HAS_MESSAGE, sessionId, from)) === undefined) {
    throw new HermesError(`Session ${sessionId} has no message ${from}; nothing was taken back.`);
  }
  if ((await db.get(HAS_REPLACEMENT, sessionId, from)) !== undefined) {
    throw new HermesError(`What stands for compressed messages in session ${sessionId} cannot be taken back.`);
  }
  await db.run(KEEP, sessionId, from, toSeconds(connection.clock.now()));
  await db.run(REMOVE, from);
  await count(db, from, -1);
  return howMany(db, sessionId, from);
}

async function restore(db: Queries, sessionId: string): Promise<number> {
  await db.run(LOCK, sessionId);
  const batch = (await db.get<{ batch: number | null }>(NEWEST_BATCH, sessionId))?.batch ?? null;
  if (batch === null) return 0;
  const messages = await howMany(db, sessionId, batch);
  await db.run(RESTORE, batch);
  await count(db, batch, 1);
  await db.run(FORGET, batch);
  return messages;
}

async function count(db: Queries, batch: number, direction: 1 | -1): Promise<void> {
  const counts = new Map<string, { messages: number; calls: number }>();
  for (const { id, calls } of await db.all<{ id: string; calls: string | null }>(OWN, batch)) {
    const counted = counts.get(id) ?? { messages: 0, calls: 0 };
    counted.messages += 1;
    if (calls !== null) counted.calls += toolCallsFromJson(calls)?.length ?? 0;
    counts.set(id, counted);
  }
  for (const [id, { messages, calls }] of counts) await db.run(COUNT, id, direction * messages, direction * calls);
}

async function howMany(db: Queries, sessionId: string, batch: number): Promise<number> {
  return (await db.get<{ messages: number }>(HOW_MANY, batch, sessionId))?.messages ?? 0;
}
