import { BUDGET_MS, spell } from '../database.ts';
import { CREATE_API_TABLES } from '../operations/api/tables.ts';
import { CREATE_RESPONSE_TABLES } from '../operations/api/response-tables.ts';
import { CREATE_CRON_TABLES } from '../operations/cron/tables.ts';
import { CREATE_FILE_CHANGES } from '../operations/file-changes.ts';
import { CREATE_GATEWAY_TABLES, CREATE_PAIRING_TABLES } from '../operations/gateway/tables.ts';
import { CREATE_IMPORTED_PROMPTS } from '../operations/imported-prompts.ts';
import { CREATE_QUESTIONS } from '../operations/questions.ts';
import { CREATE_ORIGINS } from '../operations/session-origins.ts';
import { CREATE_SETUPS } from '../operations/session-setups.ts';
import { CREATE_TURN_COMMANDS } from '../operations/turn-commands.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { backUpBeforeNumbering, numberDuplicateTitles } from './duplicate-titles.ts';
import { assertWritable, columnNames, isCurrent, readVersions, type Versions } from './inspect.ts';
import { type RetryContext, retryWhileBusy } from './retry.ts';
import {
  CREATE_LOOKUP_INDEXES,
  CREATE_MESSAGE_TERMS,
  CREATE_OWN_TABLES,
  CREATE_SEARCH_INDEX,
  CREATE_SESSION_TABLES,
  CREATE_TABLES,
  CREATE_TITLE_INDEX,
  CREATE_UNDONE_MESSAGES,
  CREATE_VERSION_TABLE,
  OWN_CALL_COLUMNS,
  OWN_MESSAGE_COLUMNS,
  OWN_VERSION,
  SCHEMA_VERSION,
} from './schema.ts';
import { SQLITE } from './spelling.ts';

type Migration = { to: number; apply(database: SqliteDatabase): void };

/**
 * The schema migrations of the original. Each step can be repeated, so a version number that lags behind does no
 * harm.
 */
const MIGRATIONS: readonly Migration[] = [
  { to: 2, apply: (database) => addColumns(database, 'messages', ['finish_reason TEXT']) },
  { to: 3, apply: (database) => addColumns(database, 'sessions', ['title TEXT']) },
  {
    to: 4,
    apply(database) {
      numberDuplicateTitles(database);
      database.exec(CREATE_TITLE_INDEX);
    },
  },
  {
    to: 5,
    apply: (database) =>
      addColumns(database, 'sessions', [
        'cache_read_tokens INTEGER DEFAULT 0',
        'cache_write_tokens INTEGER DEFAULT 0',
        'reasoning_tokens INTEGER DEFAULT 0',
        'billing_provider TEXT',
        'billing_base_url TEXT',
        'billing_mode TEXT',
        'estimated_cost_usd REAL',
        'actual_cost_usd REAL',
        'cost_status TEXT',
        'cost_source TEXT',
        'pricing_version TEXT',
      ]),
  },
  {
    to: 6,
    apply: (database) =>
      addColumns(database, 'messages', ['reasoning TEXT', 'reasoning_details TEXT', 'codex_reasoning_items TEXT']),
  },
];

/** Migrates a file to our versions in one transaction; does nothing if another process was faster. */
export function migrate(database: SqliteDatabase, file: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const versions = readVersions(database);
    assertWritable(versions, file);
    if (!isCurrent(versions)) applyMissing(database, versions);
    database.exec('COMMIT');
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

// A new file goes through the same steps. Its tables are complete from the start, so there is nothing to add.
function applyMissing(database: SqliteDatabase, versions: Versions): void {
  if (versions.schema < SCHEMA_VERSION) {
    database.exec(CREATE_VERSION_TABLE);
    database.exec(CREATE_TABLES);
    for (const migration of MIGRATIONS) {
      if (migration.to <= versions.schema) continue;
      migration.apply(database);
      setVersion(database, 'schema_version', migration.to);
    }
  }
  createSearchIndex(database);
  addColumns(database, 'messages', OWN_MESSAGE_COLUMNS);
  database.exec(CREATE_OWN_TABLES);
  addColumns(database, 'model_calls', OWN_CALL_COLUMNS);
  database.exec(CREATE_SESSION_TABLES);
  database.exec(CREATE_LOOKUP_INDEXES);
  database.exec(CREATE_UNDONE_MESSAGES);
  database.exec(spell(CREATE_QUESTIONS + CREATE_TURN_COMMANDS + CREATE_ORIGINS + CREATE_IMPORTED_PROMPTS, SQLITE));
  database.exec(spell(CREATE_GATEWAY_TABLES + CREATE_PAIRING_TABLES, SQLITE));
  addColumns(database, 'gateway_inbox', ['turn_after BIGINT']);
  database.exec(spell(CREATE_CRON_TABLES + CREATE_API_TABLES + CREATE_RESPONSE_TABLES, SQLITE));
  database.exec(spell(CREATE_FILE_CHANGES + CREATE_SETUPS, SQLITE));
  database.exec(CREATE_MESSAGE_TERMS);
  setVersion(database, 'hermes_ts_version', OWN_VERSION);
}

function createSearchIndex(database: SqliteDatabase): void {
  const isNew = columnNames(database, 'messages_fts').size === 0;
  database.exec(CREATE_SEARCH_INDEX);
  // A new index is filled from the existing messages; if it stayed empty, the first delete would corrupt it.
  if (isNew) database.exec("INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')");
}

function addColumns(database: SqliteDatabase, table: string, definitions: readonly string[]): void {
  const present = columnNames(database, table);
  for (const definition of definitions) {
    const [name = ''] = definition.split(' ');
    if (!present.has(name)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${definition}`);
  }
}

// The table has no key; by convention it has one row.
function setVersion(database: SqliteDatabase, table: string, version: number): void {
  const { changes } = database.prepare(`UPDATE ${table} SET version = ?`).run(version);
  if (Number(changes) === 0) database.prepare(`INSERT INTO ${table} (version) VALUES (?)`).run(version);
}

/** The first version with unique titles. */
const UNIQUE_TITLES_VERSION = 4;

/** Migrates a file of an earlier version, which may rewrite, copy and index all its content. */
export async function bringUpToDate(file: string, schema: number): Promise<void> {
  const context: RetryContext = { file, budgetMs: BUDGET_MS.upgrade };
  const database = await retryWhileBusy(() => openDatabase(file), context);
  try {
    if (schema < UNIQUE_TITLES_VERSION) await retryWhileBusy(() => backUpBeforeNumbering(database, file), context);
    await createTables(database, context);
  } finally {
    database.close();
  }
}

/** Creates the tables of an empty file. */
export function createTables(database: SqliteDatabase, context: RetryContext): Promise<void> {
  return retryWhileBusy(() => migrate(database, context.file), context);
}
