import { textOf } from '../rows/text-of.ts';
import type { Connection } from './connection.ts';

/**
 * On Node 22 the driver stores text whole but ends it at the first NUL when it reads it. Output of commands can hold
 * one, so rows with such text are read once more as bytes, which come back complete.
 */
export function restoreCutText<Row extends { id: number }>(
  connection: Connection,
  sessionId: string,
  rows: Row[],
): Row[] {
  const cut = new Map((connection.all(ROWS_WITH_NUL, sessionId) as ByteRow[]).map((row) => [row.id, row]));
  return cut.size === 0 ? rows : rows.map((row) => withText(row, cut.get(row.id)));
}

type ByteRow = { id: number } & Record<string, Uint8Array | null | number>;

// The JSON columns are not among them: JSON writes a NUL as an escape.
const TEXT_COLUMNS = ['content', 'tool_call_id', 'tool_name', 'reasoning', 'sent_content', 'producer'];

const ROWS_WITH_NUL = `SELECT id, ${TEXT_COLUMNS.map((name) => `CAST(${name} AS BLOB) AS ${name}`).join(', ')}
FROM messages WHERE session_id = ? AND (${TEXT_COLUMNS.map((name) => `instr(${name}, char(0))`).join(' OR ')})`;

// Values that were bytes from the start, as another program may leave them, stay what they are.
function withText<Row extends { id: number }>(row: Row, bytes: ByteRow | undefined): Row {
  if (bytes === undefined) return row;
  const restored: Record<string, unknown> = { ...row };
  for (const name of TEXT_COLUMNS) {
    const value = bytes[name];
    if (typeof restored[name] === 'string' && value instanceof Uint8Array) restored[name] = textOf(value);
  }
  return restored as Row;
}
