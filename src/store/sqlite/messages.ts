import type { MessagePage } from '../../contracts/index.ts';
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
// Read in index order, then sorted by id, which is nearly always the same order.
const SELECT = `SELECT id, ${MESSAGE_COLUMNS} FROM messages WHERE session_id = ? ORDER BY timestamp, id`;
// A watched session is polled for new messages, so the rows are found by id, which reads only the newest ones. The
// plus prevents the use of the session index.
const SELECT_AFTER = `SELECT id, ${MESSAGE_COLUMNS} FROM messages WHERE id > ?2 AND +session_id = ?1`;
const SELECT_PAGE = `${SELECT_AFTER} ORDER BY id LIMIT ?3`;

export function createMessageTable(connection: Connection): MessageTable {
  return {
    ownColumn: 'token_count',
    insert: (_, sessionId, messages) =>
      immediate(() => {
        for (const message of messages) connection.run(INSERT, ...messageValues(sessionId, message));
      }),
    read: (_, sessionId, page = {}) => immediate(() => readRows(connection, sessionId, page)),
  };
}

function selectRows(connection: Connection, sessionId: string, { after, limit }: MessagePage): unknown[][] {
  if (limit !== undefined) return connection.lists(SELECT_PAGE, sessionId, after ?? 0, limit);
  return after === undefined ? connection.lists(SELECT, sessionId) : connection.lists(SELECT_AFTER, sessionId, after);
}

function readRows(connection: Connection, sessionId: string, page: MessagePage): StoredRow[] {
  const lists = selectRows(connection, sessionId, page);
  const rows = (lists as ColumnValues[]).map(toStoredRow).sort((a, b) => a.id - b.id);
  return rows.length > 0 && connection.truncatesAtNul() ? restoreTruncatedText(connection, sessionId, rows) : rows;
}

// An object literal with a fixed shape: objects created by the driver make reading a long history 50 % slower.
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

// JSON escapes NUL, so the JSON columns are never truncated.
const TEXT_COLUMNS = ['content', 'tool_call_id', 'tool_name', 'reasoning', 'sent_content', 'producer'] as const;

const ROWS_WITH_NUL = `SELECT id, ${TEXT_COLUMNS.map((name) => `CAST(${name} AS BLOB) AS ${name}`).join(', ')}
FROM messages WHERE session_id = ? AND (${TEXT_COLUMNS.map((name) => `instr(${name}, char(0))`).join(' OR ')})`;

/**
 * The driver of Node 22 stores text completely but truncates it at the first NUL when reading. Command output may
 * contain one, so rows with such text are read again as bytes.
 */
function restoreTruncatedText(connection: Connection, sessionId: string, rows: StoredRow[]): StoredRow[] {
  const cut = new Map((connection.all(ROWS_WITH_NUL, sessionId) as ByteRow[]).map((row) => [row.id, row]));
  return cut.size === 0 ? rows : rows.map((row) => withText(row, cut.get(row.id)));
}

// Values that another program stored as bytes stay bytes.
function withText(row: StoredRow, bytes: ByteRow | undefined): StoredRow {
  if (bytes === undefined) return row;
  const restored = { ...row };
  for (const name of TEXT_COLUMNS) {
    const value = bytes[name];
    if (typeof restored[name] === 'string' && value instanceof Uint8Array) restored[name] = textOf(value);
  }
  return restored;
}
