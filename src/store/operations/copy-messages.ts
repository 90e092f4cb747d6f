import type { Message } from '../../base/index.ts';
import type { Transaction, Work } from '../database.ts';
import { messageToRow } from '../rows/message-row.ts';

const COLUMNS = `role, content, tool_call_id, tool_calls, tool_name, finish_reason, reasoning, reasoning_details,
codex_reasoning_items, sent_content, producer, tool_status, attachments`;
// A copy of a copy refers to the original.
const copy = (ownColumn: string) => `INSERT INTO messages (session_id, ${COLUMNS}, ${ownColumn}, timestamp, copy_of)
SELECT {text ?1}, ${COLUMNS}, ${ownColumn}, CAST(?2 AS DOUBLE PRECISION), COALESCE(copy_of, id) FROM messages`;
const ORIGINAL = `SELECT COALESCE(copy_of, id) AS "copyOf", tool_status AS "toolStatus" FROM messages
WHERE id = ?1 AND session_id = ?2`;
const SHARE_BLOBS = `INSERT INTO blob_references (session_id, hash, media_type)
SELECT {text ?1}, hash, media_type FROM blob_references WHERE session_id = ?2 ON CONFLICT DO NOTHING`;

type Copy = { into: string; from: string; messageId: number; timestamp: number };

/** Returns false if the session has no such message. */
export function* copyMessage(db: Transaction, { into, from, messageId, timestamp }: Copy): Work<boolean> {
  const sql = `${copy(db.messages.ownColumn)} WHERE id = ?3 AND session_id = ?4`;
  return (yield* db.run(sql, into, timestamp, messageId, from)) > 0;
}

/** Copies a message with a shorter text. */
export function* copyShortened(db: Transaction, shortened: Copy, message: Message): Work<boolean> {
  const { into, from, messageId, timestamp } = shortened;
  const original = yield* db.get<{ copyOf: number; toolStatus: string | null }>(ORIGINAL, messageId, from);
  if (original === undefined) return false;
  const toolStatus = original.toolStatus ?? undefined;
  yield* db.messages.insert(db, into, [{ row: messageToRow(message), timestamp, copyOf: original.copyOf, toolStatus }]);
  return true;
}

/** All copies get the same timestamp, so that a program that sorts by time, as the original does, keeps their order. */
export function* copyMessages(
  db: Transaction,
  { into, from, upTo, timestamp }: { into: string; from: string; upTo: number | undefined; timestamp: number },
): Work<void> {
  const sql = `${copy(db.messages.ownColumn)} WHERE session_id = ?3 AND id <= CAST(?4 AS BIGINT) ORDER BY id`;
  yield* db.run(sql, into, timestamp, from, upTo ?? Number.MAX_SAFE_INTEGER);
  yield* shareBlobs(db, { into, from });
}

/** The blobs that copies refer to must be kept when the original session is deleted. */
export function* shareBlobs(db: Transaction, { into, from }: { into: string; from: string }): Work<void> {
  yield* db.run(SHARE_BLOBS, into, from);
}
