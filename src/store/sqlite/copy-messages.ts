import type { Message } from '../../base/index.ts';
import { messageToRow } from '../message-row.ts';
import type { Connection } from './connection.ts';
import { insertMessage } from './messages.ts';

const COLUMNS = `role, content, tool_call_id, tool_calls, tool_name, token_count, finish_reason, reasoning, reasoning_details,
codex_reasoning_items, sent_content, producer, tool_status, attachments`;
// A copy of a copy is one of the first.
const COPY = `INSERT INTO messages (session_id, ${COLUMNS}, timestamp, copy_of)
SELECT ?1, ${COLUMNS}, ?2, COALESCE(copy_of, id) FROM messages`;
const COPY_ONE = `${COPY} WHERE id = ?3 AND session_id = ?4`;
const COPY_ALL = `${COPY} WHERE session_id = ?3 ORDER BY id`;
const ORIGINAL =
  'SELECT COALESCE(copy_of, id) AS copyOf, tool_status AS toolStatus FROM messages WHERE id = ? AND session_id = ?';
const SHARE_BLOBS = `INSERT OR IGNORE INTO blob_references (session_id, hash, media_type)
SELECT ?, hash, media_type FROM blob_references WHERE session_id = ?`;

type Copy = { into: string; from: string; messageId: number; timestamp: number };

/** Inside a transaction; false where the session has no such message. */
export function copyMessage(connection: Connection, { into, from, messageId, timestamp }: Copy): boolean {
  return connection.run(COPY_ONE, into, timestamp, messageId, from) > 0;
}

/** As above, with another text: what the copy says is less than what its original does. */
export function copyShortened(connection: Connection, copy: Copy, message: Message): boolean {
  const { into, from, messageId, timestamp } = copy;
  const original = connection.get(ORIGINAL, messageId, from) as
    | { copyOf: number; toolStatus: string | null }
    | undefined;
  if (original === undefined) return false;
  const { copyOf, toolStatus } = original;
  insertMessage(connection, into, messageToRow(message), { timestamp, copyOf, toolStatus: toolStatus ?? undefined });
  return true;
}

/** Inside a transaction. All get one time: whoever sorts by time, as the original does, gets them in their order. */
export function copyAllMessages(
  connection: Connection,
  { into, from, timestamp }: { into: string; from: string; timestamp: number },
): void {
  connection.run(COPY_ALL, into, timestamp, from);
  shareBlobs(connection, { into, from });
}

/** Inside a transaction: what copies refer to must stay when the session they came from goes. */
export function shareBlobs(connection: Connection, { into, from }: { into: string; from: string }): void {
  connection.run(SHARE_BLOBS, into, from);
}
