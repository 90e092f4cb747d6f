import { type Clock, systemClock } from '../../base/index.ts';
import { type Logger, type SessionStore, silentLogger } from '../../contracts/index.ts';
import { BUDGET_MS } from '../database.ts';
import type { RemovalOptions } from '../operations/removal.ts';
import { createSessionStore } from '../operations/session-store.ts';
import { createTables } from './migrate.ts';
import { createConnection } from './connection.ts';
import { isBusy } from './database-error.ts';
import { prepareDatabaseFile } from './database-file.ts';
import { isWalSafe, openDatabase, type SqliteDatabase } from './driver.ts';
import { assertWritable, isCurrent, readVersions } from './inspect.ts';
import { findReadOnlyReason, openReadOnly } from './open-read-only.ts';
import { createLazySearch } from './lazy-search.ts';
import { type RetryContext, retryWhileBusy } from './retry.ts';
import { createSqliteDatabase } from './sqlite-database.ts';

export type SqliteStoreOptions = RemovalOptions & {
  file: string;
  clock?: Clock;
  logger?: Logger;
  /**
   * For one process with many agents: simultaneous writes share one transaction, and the write-ahead log may grow to
   * 64 MB before it is synced to disk. Writes still survive the end of the process. The search index is updated only
   * by a search.
   */
  groupWrites?: boolean | undefined;
  /** If the file cannot be written, it is opened for reading; every write fails. */
  allowReadOnly?: boolean | undefined;
};

const LARGE_LOG_PAGES = 16_384;

/** Opens the store in a file. Creates or migrates the file if necessary. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const { file, clock = systemClock, logger = silentLogger } = options;
  const context = { file, budgetMs: BUDGET_MS.normal };
  const isReadOnly = options.allowReadOnly === true && findReadOnlyReason(file) !== undefined;
  const database = isReadOnly ? await openReadOnly(context, logger) : await openWritable(context, logger);
  const { sessionFolders, groupWrites } = options;
  if (groupWrites) database.exec(`PRAGMA wal_autocheckpoint = ${LARGE_LOG_PAGES}`);
  const connection = createConnection({ database, file, clock, logger, groupWrites });
  // The messages of many agents are rarely searched, so the index is updated on demand.
  const search = createLazySearch(connection, { whenAsked: groupWrites ?? false });
  return createSessionStore(createSqliteDatabase(connection), search, { sessionFolders });
}

async function openWritable(context: RetryContext, logger: Logger): Promise<SqliteDatabase> {
  const { file } = context;
  prepareDatabaseFile(file, logger);
  const database = await retryWhileBusy(() => openDatabase(file), context);
  try {
    await makeCurrent(database, context, logger);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

async function makeCurrent(database: SqliteDatabase, context: RetryContext, logger: Logger): Promise<void> {
  const { file } = context;
  const { versions, isEmpty } = await retryWhileBusy(() => {
    return { versions: readVersions(database), isEmpty: readPragma(database, 'page_count') === 0 };
  }, context);
  // Checked before any pragma is set, so that a file that is not ours stays unchanged.
  assertWritable(versions, file);
  const mode = await retryWhileBusy(() => setJournal(database, { file, logger, isEmpty }), context);
  if (isCurrent(versions)) return;
  if (versions.schema === 0) return createFirstTables(database, context, isEmpty && mode === 'wal');
  logger.info(`Migrating ${file} to the current version; this is done once and can take a while.`, {
    from: versions.schema,
  });
  // Migrating years of messages takes a while; the worker code is loaded only if it is needed.
  const { runInWorker } = await import('./run-in-worker.ts');
  await runInWorker('bringUpToDate', [file, versions.schema]);
}

/**
 * The first transaction of a new write-ahead log need not be synced to disk: after a power failure its checksums
 * decide how much of it is valid, and there are no earlier frames that could be mistaken for it. The first checkpoint
 * syncs as always.
 */
async function createFirstTables(database: SqliteDatabase, context: RetryContext, isNewLog: boolean): Promise<void> {
  if (!isNewLog) return createTables(database, context);
  database.exec('PRAGMA synchronous = OFF');
  try {
    await createTables(database, context);
  } finally {
    database.exec('PRAGMA synchronous = NORMAL');
  }
}

type JournalOptions = { file: string; logger: Logger; isEmpty: boolean };

/**
 * With the write-ahead log, NORMAL makes every commit survive the end of the process, including `kill -9`, because
 * the data has been passed to the operating system. A power failure can lose the newest commits but never corrupts
 * the file; syncing for every message would cost many times the rest of the write. The rollback journal needs FULL.
 */
function setJournal(database: SqliteDatabase, { file, logger, isEmpty }: JournalOptions): string {
  const mode = isWalSafe() ? enterWal(database, isEmpty) : leaveWal(database, file, logger);
  database.exec(`PRAGMA synchronous = ${mode === 'wal' ? 'NORMAL' : 'FULL'}`);
  return mode;
}

/**
 * The mode is stored in the first page. In an empty file that write has nothing to roll back to, so its journal is
 * kept in memory, which saves three of four syncs. Another process may have set the mode in the meantime, and setting
 * any other mode would undo that.
 */
function enterWal(database: SqliteDatabase, isEmpty: boolean): string {
  if (isEmpty && readPragma(database, 'journal_mode') !== 'wal') setJournalMode(database, 'MEMORY');
  return setJournalMode(database, 'WAL');
}

function readPragma(database: SqliteDatabase, name: 'page_count' | 'journal_mode'): unknown {
  return (database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown>)[name];
}

function setJournalMode(database: SqliteDatabase, mode: 'WAL' | 'DELETE' | 'MEMORY'): string {
  const row = database.prepare(`PRAGMA journal_mode = ${mode}`).get() as { journal_mode: string };
  return row.journal_mode;
}

function leaveWal(database: SqliteDatabase, file: string, logger: Logger): string {
  try {
    return setJournalMode(database, 'DELETE');
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    // A process with a newer SQLite has the file open; only the last connection can change the journal mode.
    logger.warn(`This SQLite is older than 3.51.3 but shares the write-ahead log of ${file} with another process.`);
    return 'wal';
  }
}
