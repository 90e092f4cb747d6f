import { immediate, type MessageTable } from '../database.ts';
import { MESSAGE_COLUMNS, messageValues } from '../rows/message-columns.ts';
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

const INSERT = `INSERT INTO messages (session_id, ${MESSAGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
// In the order of the index. Sorted by id afterwards, which is nearly always the same order.
const SELECT = `SELECT id, ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? ORDER BY timestamp, id`;
// By id only, so that just the newest rows are read: a watched session is polled.
const SELECT_AFTER = `SELECT id, ${MESSAGE_COLUMNS} FROM messages WHERE id > ?2 AND +session_id = ?1`;

export function createMessageTable(connection: Connection): MessageTable {
  return {
    ownColumn: 'token_count',
    insert: (_, sessionId, messages) =>
      immediate(() => {
        for (const message of messages) connection.run(INSERT, ...messageValues(sessionId, message));
      }),
    read: (_, sessionId, after) => immediate(() => readRows(connection, sessionId, after)),
  };
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
