import { existsSync, renameSync } from 'node:fs';
import { errorMessage, HermesError } from '../../base/index.ts';
import type { SqlValue } from '../database.ts';
import { textOf } from '../rows/values.ts';
import { explainDatabaseError, isDiskError } from './database-error.ts';
import { removeStagingFiles, stagingFileName } from './database-file.ts';
import { openDatabase, type SqliteDatabase, type SqliteStatement } from './driver.ts';
import { columnNames } from './inspect.ts';
import { openSqliteStore } from './open-store.ts';
import { COPIES } from './spelling.ts';

export type RepairReport = {
  file: string;
  target: string;
  tables: RepairedTable[];
  /** Number of sessions that were recreated because only their messages were left. */
  sessionsMadeUp: number;
};

export type RepairedTable = { table: string; rows: number; lost: number };

const TABLES = [
  'sessions',
  'messages',
  'model_calls',
  'turns',
  'blob_references',
  'session_branches',
  'session_origins',
  'imported_prompts',
  'undone_messages',
  'questions',
  'cron_runs',
  'api_sessions',
  'api_prefixes',
  'api_runs',
  'api_responses',
  'api_conversations',
  'file_changes',
  'offered_tools',
  'session_setups',
];

// Messages without a session would exist but never be shown.
const RECREATE_SESSIONS = `INSERT INTO sessions (id, source, started_at, title)
SELECT session_id, 'recovered', MIN(timestamp), NULL FROM messages
WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id`;
const FIX_REFERENCES = `
UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id NOT IN (SELECT id FROM sessions);
DELETE FROM turns WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM blob_references WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM session_branches WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM session_origins WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM imported_prompts WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM undone_messages WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM api_prefixes WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM file_changes WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM session_setups WHERE session_id NOT IN (SELECT id FROM sessions);
DELETE FROM questions WHERE session_id NOT IN (SELECT id FROM sessions);
UPDATE sessions SET message_count = (SELECT COUNT(*) FROM messages m WHERE m.session_id = sessions.id
  AND m.id NOT IN (${COPIES}));
`;

/**
 * Copies everything readable of a corrupt file into a new one, row by row, without changing the corrupt one. The new
 * file gets its name when it is complete. Runs in a worker.
 */
export async function repairDatabase(file: string, target: string): Promise<RepairReport> {
  if (existsSync(target)) throw existsAlready(target);
  const source = openCorrupt(file);
  removeStagingFiles(target);
  try {
    const copied = await copyInto(stagingFileName(target), source);
    if (existsSync(target)) throw existsAlready(target);
    renameSync(stagingFileName(target), target);
    return { file, target, ...copied };
  } finally {
    source.close();
    removeStagingFiles(target);
  }
}

async function copyInto(file: string, source: SqliteDatabase): Promise<Omit<RepairReport, 'file' | 'target'>> {
  await (await openSqliteStore({ file })).close();
  const repaired = openDatabase(file);
  try {
    return copyAll(source, repaired);
  } catch (thrown) {
    throw explainDatabaseError(thrown, file);
  } finally {
    repaired.close();
  }
}

function existsAlready(target: string): HermesError {
  return new HermesError(`${target} already exists; nothing was done.`, { hint: 'Give the name of a new file.' });
}

function openCorrupt(file: string): SqliteDatabase {
  if (!existsSync(file)) throw new HermesError(`The file ${file} does not exist.`);
  let source: SqliteDatabase | undefined;
  try {
    source = openDatabase(file, { readOnly: true });
    if (['sessions', 'messages'].some((table) => columnNames(source as SqliteDatabase, table).size > 0)) return source;
  } catch (thrown) {
    source?.close();
    throw nothingReadable(file, errorMessage(thrown), thrown);
  }
  source.close();
  throw nothingReadable(file, 'it has no sessions or messages table');
}

function copyAll(source: SqliteDatabase, target: SqliteDatabase): Omit<RepairReport, 'file' | 'target'> {
  // Foreign keys are off while copying; references to lost rows are fixed afterwards.
  target.exec('PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE');
  const tables = TABLES.filter((table) => columnNames(source, table).size > 0).map((table) =>
    copyTable(source, target, table),
  );
  const sessionsMadeUp = Number(target.prepare(RECREATE_SESSIONS).run().changes);
  target.exec(FIX_REFERENCES);
  target.exec('COMMIT');
  return { tables, sessionsMadeUp };
}

function copyTable(source: SqliteDatabase, target: SqliteDatabase, table: string): RepairedTable {
  const salvaged = salvageTable(source, table, columnNames(target, table));
  const { columns } = salvaged;
  const places = columns.map(() => '?').join(', ');
  const insert = target.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
  const title = columns.indexOf('title');
  let [rows, refused] = [0, 0];
  const write = (values: SalvagedRow['values']) => {
    try {
      insert.run(...values);
      return true;
    } catch (thrown) {
      // A row that violates a constraint is lost; a full disk must not be counted as lost rows.
      if (isDiskError(thrown)) throw thrown;
      return false;
    }
  };
  for (const { values } of salvaged.rows) {
    // If two sessions have the same title, the second one is kept without it.
    const done = write(values) || (title >= 0 && write(values.with(title, null)));
    if (done) rows += 1;
    else refused += 1;
  }
  return { table, rows, lost: refused + salvaged.unreadable() };
}

function nothingReadable(file: string, reason: string, cause?: unknown): HermesError {
  return new HermesError(`Nothing can be read from ${file}: ${reason}.`, {
    hint:
      'It was not changed. Move it aside to start with a new one. The sqlite3 program may still recover something: ' +
      `sqlite3 ${file} .recover`,
    cause,
  });
}

/** A row to be written: the values of the columns that both files have. */
type SalvagedRow = { values: SqlValue[] };

type SalvagedTable = {
  columns: string[];
  rows: Iterable<SalvagedRow>;
  /** The number of unreadable rows; known after all rows were iterated. */
  unreadable(): number;
};

const CHUNK = 256;
/** The number of row ids that are tried if not even the highest one can be read. */
const ROWS_TRIED = 1_000_000;

/**
 * Everything readable of a table, in the columns that both files have. Rows are read in ranges; an unreadable range
 * is halved until the lost rows are known.
 */
function salvageTable(source: SqliteDatabase, table: string, wanted: ReadonlySet<string>): SalvagedTable {
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

// Text is read as bytes, because some drivers truncate it at a NUL; the types follow the values.
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
  const values = list.slice(0, half).map((value, index) => {
    const isText = list[half + index] === 'text';
    return isText && value instanceof Uint8Array ? textOf(value) : (value as SqlValue);
  });
  return { values };
}

// Several queries, because one may hit a corrupt page while another does not.
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
