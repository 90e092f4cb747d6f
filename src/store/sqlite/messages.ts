import { immediate, type MessageTable, type NewMessage } from '../database.ts';
import type { StoredRow } from '../rows/message-row.ts';
import { textOf } from '../rows/values.ts';
import type { Connection } from './connection.ts';

type Text = string | null;
/** A row of `SELECT`, in the order of its columns. */
type ColumnValues = [
  number,
  string,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  number,
  Text,
  number | null,
  Text,
];

const COLUMNS = `role, content, tool_call_id, tool_calls, tool_name, finish_reason, reasoning, reasoning_details,
codex_reasoning_items, sent_content, producer, timestamp, tool_status, copy_of, attachments`;
const INSERT = `INSERT INTO messages (session_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
// In the order of the index; put into the order of the ids afterwards, which nearly always is the same.
const SELECT = `SELECT id, ${COLUMNS} FROM messages WHERE session_id = ? ORDER BY timestamp, id`;
// By the ids alone, of which only the newest are looked at: a session that is watched is asked for again and again.
const SELECT_AFTER = `SELECT id, ${COLUMNS} FROM messages WHERE id > ?2 AND +session_id = ?1`;
export function createMessageTable(connection: Connection): MessageTable {
  return {
    ownColumn: 'token_count',
    insert: (_, sessionId, messages) =>
      immediate(() => {
        for (const message of messages) insertMessage(connection, sessionId, message);
      }),
    read: (_, sessionId, after) => immediate(() => readRows(connection, sessionId, after)),
  };
}

function insertMessage(
  connection: Connection,
  sessionId: string,
  { row, timestamp, toolStatus, copyOf }: NewMessage,
): void {
  connection.run(
    INSERT,
    sessionId,
    row.role,
    row.content,
    row.tool_call_id,
    row.tool_calls,
    row.tool_name,
    row.finish_reason,
    row.reasoning,
    row.reasoning_details,
    row.codex_reasoning_items,
    row.sent_content,
    row.producer,
    timestamp,
    toolStatus ?? null,
    copyOf ?? null,
    row.attachments,
  );
}

function readRows(connection: Connection, sessionId: string, after?: number): StoredRow[] {
  const lists =
    after === undefined ? connection.lists(SELECT, sessionId) : connection.lists(SELECT_AFTER, sessionId, after);
  const rows = (lists as ColumnValues[]).map(toStoredRow).sort((a, b) => a.id - b.id);
  return rows.length > 0 && connection.cutsText() ? restoreCutText(connection, sessionId, rows) : rows;
}

// A literal with a fixed shape: with objects made by the driver, reading a long history takes half as long again.
function toStoredRow(values: ColumnValues): StoredRow {
  return {
    id: values[0],
    role: values[1],
    content: values[2],
    tool_call_id: values[3],
    tool_calls: values[4],
    tool_name: values[5],
    finish_reason: values[6],
    reasoning: values[7],
    reasoning_details: values[8],
    codex_reasoning_items: values[9],
    sent_content: values[10],
    producer: values[11],
    timestamp: values[12],
    tool_status: values[13],
    copy_of: values[14],
    attachments: values[15],
  };
}

type ByteRow = { id: number } & Record<string, Uint8Array | null | number>;

// JSON writes a NUL as an escape, so the JSON columns are complete.
const TEXT_COLUMNS = ['content', 'tool_call_id', 'tool_name', 'reasoning', 'sent_content', 'producer'] as const;

const ROWS_WITH_NUL = `SELECT id, ${TEXT_COLUMNS.map((name) => `CAST(${name} AS BLOB) AS ${name}`).join(', ')}
FROM messages WHERE session_id = ? AND (${TEXT_COLUMNS.map((name) => `instr(${name}, char(0))`).join(' OR ')})`;

/**
 * On Node 22 the driver stores text whole but cuts it at the first NUL when it reads it. Output of commands can contain
 * one, so rows with such text are read again as bytes.
 */
function restoreCutText(connection: Connection, sessionId: string, rows: StoredRow[]): StoredRow[] {
  const cut = new Map((connection.all(ROWS_WITH_NUL, sessionId) as ByteRow[]).map((row) => [row.id, row]));
  return cut.size === 0 ? rows : rows.map((row) => withText(row, cut.get(row.id)));
}

// Values that were bytes from the start, as another program may store them, stay bytes.
function withText(row: StoredRow, bytes: ByteRow | undefined): StoredRow {
  if (bytes === undefined) return row;
  const restored = { ...row };
  for (const name of TEXT_COLUMNS) {
    const value = bytes[name];
    if (typeof restored[name] === 'string' && value instanceof Uint8Array) restored[name] = textOf(value);
  }
  return restored;
}
