import { dirname, join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import type { SqliteDatabase } from './driver.ts';
import { OWN_VERSION, SCHEMA_VERSION } from './schema.ts';

/** The file we use where `state.db` belongs to a later version of the original. */
export const OWN_FILE_NAME = 'hermes.db';

/** Versions found in a file; 0 where there is nothing yet. */
export type Versions = { schema: number; own: number };

export function isCurrent(versions: Versions): boolean {
  return versions.schema === SCHEMA_VERSION && versions.own === OWN_VERSION;
}

/** Reads the versions without writing anything; undefined for the database of another program. */
export function readVersions(database: SqliteDatabase): Versions | undefined {
  const tables = tableNames(database);
  const schema = tables.has('schema_version') ? versionIn(database, 'schema_version') : 0;
  const own = tables.has('hermes_ts_version') ? versionIn(database, 'hermes_ts_version') : 0;
  // A later version may have renamed anything; its number is all we need to know.
  if (schema > SCHEMA_VERSION || own > 0) return { schema, own };
  if (tables.size === 0 || (tables.size === 1 && tables.has('schema_version') && schema === 0))
    return { schema: 0, own };
  if (!isSessionDatabase(database, tables)) return undefined;
  // Tables without a number: the original was stopped while it made them. Every step can be repeated.
  return { schema: Math.max(schema, 1), own };
}

/** Throws where the file is not for us to write. */
export function assertWritable(versions: Versions | undefined, file: string): asserts versions is Versions {
  if (versions === undefined) {
    throw new HermesError(`${file} is a database of another program; it was left as it is.`, {
      hint: 'Move it out of the home folder, or choose another home folder with HERMES_HOME.',
    });
  }
  if (versions.schema > SCHEMA_VERSION) {
    const ownFile = join(dirname(file), OWN_FILE_NAME);
    throw new HermesError(
      `${file} was written by a later version of the original (schema ${versions.schema}, known here: ` +
        `${SCHEMA_VERSION}); it was left as it is, and our own file ${OWN_FILE_NAME} beside it is used instead.`,
      { hint: `Open ${ownFile}.` },
    );
  }
  if (versions.own > OWN_VERSION) {
    throw new HermesError(
      `${file} was written by a later version of this program (${versions.own}, known here: ${OWN_VERSION}); ` +
        'it was left as it is.',
      { hint: 'Update hermes-agent-ts.' },
    );
  }
}

export function columnNames(database: SqliteDatabase, table: string): Set<string> {
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[];
  return new Set(columns.map((column) => column.name));
}

function tableNames(database: SqliteDatabase): Set<string> {
  const sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  const rows = database.prepare(sql).all() as { name: string }[];
  return new Set(rows.map((row) => row.name));
}

// Another program's table of that name may have other columns, which is no error here.
function versionIn(database: SqliteDatabase, table: string): number {
  const columns = columnNames(database, table);
  if (!columns.has('version')) return 0;
  const row = database.prepare(`SELECT MAX(version) AS version FROM ${table}`).get() as { version: unknown };
  return Number(row.version ?? 0);
}

// Other programs have tables of these names too; the columns that every version has tell them apart.
function isSessionDatabase(database: SqliteDatabase, tables: Set<string>): boolean {
  if (!tables.has('sessions') || !tables.has('messages')) return false;
  const sessions = columnNames(database, 'sessions');
  const messages = columnNames(database, 'messages');
  return (
    ['id', 'source', 'model', 'parent_session_id', 'started_at', 'ended_at'].every((name) => sessions.has(name)) &&
    ['session_id', 'role', 'content', 'tool_calls', 'timestamp'].every((name) => messages.has(name))
  );
}
