import { columnNames } from './inspect.ts';
import type { SqlValue } from '../database.ts';
import type { SqliteDatabase, SqliteStatement } from './driver.ts';
import { textOf } from '../rows/values.ts';

/** A row as it is written again: the values of the shared columns. */
export type SalvagedRow = { values: SqlValue[] };

export type SalvagedTable = {
  columns: string[];
  rows: Iterable<SalvagedRow>;
  /** How many row numbers could not be read; known when all rows were taken. */
  unreadable(): number;
};

const CHUNK = 256;
/** Where not even the highest row number can be read, as many are tried. */
const ROWS_TRIED = 1_000_000;

/**
 * Everything of a table that can be read, of the columns that both files have. Rows are asked for in ranges; one that
 * cannot be read is halved until it is clear which rows are lost.
 */
export function salvageTable(source: SqliteDatabase, table: string, wanted: ReadonlySet<string>): SalvagedTable {
  const columns = [...columnNames(source, table)].filter((name) => wanted.has(name));
  const select = source.prepare(selectRange(table, columns));
  select.setReturnArrays(true);
  let unreadable = 0;

  function* range(low: number, high: number): Generator<SalvagedRow> {
    const rows = tryRead(select, low, high);
    if (rows !== undefined) yield* rows.map(toRow);
    else if (low === high) unreadable += 1;
    else {
      const middle = Math.floor((low + high) / 2);
      yield* range(low, middle);
      yield* range(middle + 1, high);
    }
  }
  function* all(): Generator<SalvagedRow> {
    const last = highestRow(source, table);
    for (let low = 1; low <= last; low += CHUNK) yield* range(low, Math.min(low + CHUNK - 1, last));
  }
  return { columns, rows: all(), unreadable: () => unreadable };
}

// Text is read as bytes, because some drivers end it at a NUL; beside each value is its type.
function selectRange(table: string, columns: readonly string[]): string {
  const values = columns.map((name) => `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`);
  const types = columns.map((name) => `typeof(${name})`);
  return `SELECT ${[...values, ...types].join(', ')} FROM ${table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid`;
}

function tryRead(select: SqliteStatement, low: number, high: number): unknown[][] | undefined {
  try {
    return select.all(low, high) as unknown[][];
  } catch {
    return undefined;
  }
}

function toRow(list: unknown[]): SalvagedRow {
  const half = list.length / 2;
  const values = list.slice(0, half).map((value, place) => {
    const isText = list[half + place] === 'text';
    return isText && value instanceof Uint8Array ? textOf(value) : (value as SqlValue);
  });
  return { values };
}

// Any of these can hit a damaged page while another does not.
function highestRow(source: SqliteDatabase, table: string): number {
  const questions = [
    `SELECT MAX(rowid) AS last FROM ${table}`,
    `SELECT seq AS last FROM sqlite_sequence WHERE name = '${table}'`,
    ...indexesOf(source, table).map((index) => `SELECT MAX(rowid) AS last FROM ${table} INDEXED BY ${index}`),
  ];
  const answers = questions.flatMap((sql) => {
    try {
      const row = source.prepare(sql).get() as { last: number | null } | undefined;
      return row === undefined ? [] : [row.last ?? 0];
    } catch {
      return [];
    }
  });
  return answers.length === 0 ? ROWS_TRIED : Math.max(...answers);
}

function indexesOf(source: SqliteDatabase, table: string): string[] {
  const sql = `SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT LIKE '%WHERE%' AND tbl_name = ?`;
  return (source.prepare(sql).all(table) as { name: string }[]).map((row) => row.name);
}
