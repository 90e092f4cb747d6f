import type { Message } from '../../base/index.ts';
import { messageToRow } from '../message-row.ts';
import type { Queries } from './connection.ts';
import { insertMessages } from './messages.ts';

const COLUMNS = `role, content, tool_call_id, tool_calls, tool_name, finish_reason, reasoning, reasoning_details,
codex_reasoning_items, sent_content, producer, tool_status, attachments, terms`;
// A copy of a copy is one of the first.
const COPY = `INSERT INTO messages (session_id, ${COLUMNS}, timestamp, copy_of)
SELECT $1, ${COLUMNS}, $2::float8, COALESCE(copy_of, id) FROM messages`;
const COPY_ONE = `${COPY} WHERE id = $3 AND session_id = $4`;
const COPY_ALL = `${COPY} WHERE session_id = $3 ORDER BY id`;
const ORIGINAL = `SELECT COALESCE(copy_of, id) AS "copyOf", tool_status AS "toolStatus"
FROM messages WHERE id = $1 AND session_id = $2`;
const SHARE_BLOBS = `INSERT INTO blob_references (session_id, hash, media_type)
SELECT $1, hash, media_type FROM blob_references WHERE session_id = $2 ON CONFLICT DO NOTHING`;

type Copy = { into: string; from: string; messageId: number; timestamp: number };

/** Inside a transaction; false where the session has no such message. */
export async function copyMessage(db: Queries, { into, from, messageId, timestamp }: Copy): Promise<boolean> {
  return (await db.run(COPY_ONE, into, timestamp, messageId, from)) > 0;
}

/** As above, with another text: what the copy says is less than what its original does. */
export async function copyShortened(db: Queries, copy: Copy, message: Message): Promise<boolean> {
  const { into, from, messageId, timestamp } = copy;
  const original = await db.get<{ copyOf: number; toolStatus: string | null }>(ORIGINAL, messageId, from);
  if (original === undefined) return false;
  const { copyOf, toolStatus } = original;
  await insertMessages(db, into, [
    { row: messageToRow(message), timestamp, copyOf, toolStatus: toolStatus ?? undefined },
  ]);
  return true;
}

/** Inside a transaction. */
export async function copyAllMessages(
  db: Queries,
  { into, from, timestamp }: { into: string; from: string; timestamp: number },
): Promise<void> {
  await db.run(COPY_ALL, into, timestamp, from);
  await shareBlobs(db, { into, from });
}

/** Inside a transaction: what copies refer to must stay when the session they came from goes. */
export async function shareBlobs(db: Queries, { into, from }: { into: string; from: string }): Promise<void> {
  await db.run(SHARE_BLOBS, into, from);
}
