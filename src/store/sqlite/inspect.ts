import { dirname, join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import type { SqliteDatabase } from './driver.ts';
import { OWN_VERSION, SCHEMA_VERSION } from './schema.ts';

/** The file that is used if `state.db` belongs to a later version of the original. */
export const OWN_FILE_NAME = 'hermes.db';

/** The versions in a file; 0 if it is empty. */
export type Versions = { schema: number; own: number };

export function isCurrent(versions: Versions): boolean {
  return versions.schema === SCHEMA_VERSION && versions.own === OWN_VERSION;
}

/** Reads the versions without writing anything; undefined if the database belongs to another program. */
export function readVersions(database: SqliteDatabase): Versions | undefined {
  const tables = tableNames(database);
  const schema = tables.has('schema_version') ? versionIn(database, 'schema_version') : 0;
  const own = tables.has('hermes_ts_version') ? versionIn(database, 'hermes_ts_version') : 0;
  // A later version may have renamed anything; its number is enough.
  if (schema > SCHEMA_VERSION || own > 0) return { schema, own };
  if (tables.size === 0 || (tables.size === 1 && tables.has('schema_version') && schema === 0))
    return { schema: 0, own };
  if (!isSessionDatabase(database, tables)) return undefined;
  // Tables without a version number: the original was interrupted while creating them. Every step can be repeated.
  return { schema: Math.max(schema, 1), own };
}

/** Throws if we must not write to the file. */
export function assertWritable(versions: Versions | undefined, file: string): asserts versions is Versions {
  if (versions === undefined) {
    throw new HermesError(`${file} is a database of another program; it was not changed.`, {
      hint: 'Move it out of the home directory, or choose another home directory with HERMES_HOME.',
    });
  }
  if (versions.schema > SCHEMA_VERSION) {
    const ownFile = join(dirname(file), OWN_FILE_NAME);
    throw new HermesError(
      `${file} was written by a later version of the original (schema ${versions.schema}; supported: ` +
        `${SCHEMA_VERSION}); it was not changed, and our own file ${OWN_FILE_NAME} next to it is used instead.`,
      { hint: `Open ${ownFile}.` },
    );
  }
  if (versions.own > OWN_VERSION) {
    throw new HermesError(
      `${file} was written by a later version of this program (${versions.own}; supported: ${OWN_VERSION}); ` +
        'it was not changed.',
      { hint: 'Update hermes-agent-ts.' },
    );
  }
}

export function columnNames(database: SqliteDatabase, table: string): Set<string> {
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[];
  return new Set(columns.map((column) => column.name));
}

/** Whether a file has the columns that every version of the original has. */
export function hasOriginalSessions(database: SqliteDatabase): boolean {
  const [sessions, messages] = [columnNames(database, 'sessions'), columnNames(database, 'messages')];
  return (
    ['id', 'started_at'].every((name) => sessions.has(name)) &&
    ['session_id', 'role', 'content'].every((name) => messages.has(name))
  );
}

function tableNames(database: SqliteDatabase): Set<string> {
  const sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  const rows = database.prepare(sql).all() as { name: string }[];
  return new Set(rows.map((row) => row.name));
}

// A table of this name in another program's database may have other columns; that is not an error.
function versionIn(database: SqliteDatabase, table: string): number {
  const columns = columnNames(database, table);
  if (!columns.has('version')) return 0;
  const row = database.prepare(`SELECT MAX(version) AS version FROM ${table}`).get() as { version: unknown };
  return Number(row.version ?? 0);
}

// Other programs may have tables with these names too, so the columns that every version has are checked.
function isSessionDatabase(database: SqliteDatabase, tables: Set<string>): boolean {
  if (!tables.has('sessions') || !tables.has('messages')) return false;
  const sessions = columnNames(database, 'sessions');
  const messages = columnNames(database, 'messages');
  return (
    ['id', 'source', 'model', 'parent_session_id', 'started_at', 'ended_at'].every((name) => sessions.has(name)) &&
    ['session_id', 'role', 'content', 'tool_calls', 'timestamp'].every((name) => messages.has(name))
  );
}
