import { type Clock, HermesError, monotonicMs } from '../../base/index.ts';
import type { Logger } from '../../contracts/index.ts';
import { BUDGET_MS, spell, type SqlValue } from '../database.ts';
import type { SqliteDatabase, SqliteStatement } from './driver.ts';
import { createFileCheck } from './file-identity.ts';
import { beginFirst } from './new-log.ts';
import { retryWhileBusy } from './retry.ts';
import { createWriteGroups } from './group-writes.ts';
import { createIndexRepair } from './rebuild-index.ts';
import { SQLITE } from './spelling.ts';

/** An open database with cached statements, and with reads and writes that wait for locks. */
export interface Connection {
  readonly file: string;
  readonly clock: Clock;
  run(sql: string, ...values: SqlValue[]): number;
  /** The caller specifies the type of the row. */
  get(sql: string, ...values: SqlValue[]): unknown;
  all(sql: string, ...values: SqlValue[]): unknown[];
  /** Like `all`, with every row as an array of values; for statements that return many rows. */
  lists(sql: string, ...values: SqlValue[]): unknown[][];
  /** Whether the driver truncates text at the first NUL when reading it, as that of Node 22 does. */
  truncatesAtNul(): boolean;
  read<T>(operation: () => T): Promise<T>;
  /** Runs the operation in one transaction. Writes run in the order of the calls. */
  write<T>(operation: () => T, budgetMs?: number): Promise<T>;
  close(): Promise<void>;
}

type ConnectionParts = {
  database: SqliteDatabase;
  file: string;
  clock: Clock;
  logger: Logger;
  /**
   * For many agents: simultaneous writes share one transaction, and the write-ahead log may grow large before it is
   * checkpointed.
   */
  groupWrites?: boolean | undefined;
};

const CHECKPOINT_EVERY_WRITES = 50;

export function createConnection(parts: ConnectionParts): Connection {
  const { database, file, clock } = parts;
  const statement = createStatementCache(database);
  const listStatement = createStatementCache(database, { lists: true });
  const runStatement = createStatementCache(database, { runs: true });
  const checkFile = createFileCheck(file);
  const transact = createTransactor(parts, runStatement, checkFile);
  const withIndexRepair = createIndexRepair(file, parts.logger);
  let lastWrite: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  let cutsText: boolean | undefined;

  const writeAlone = <T>(operation: () => T, budgetMs: number = BUDGET_MS.normal): Promise<T> => {
    // The time in the queue counts too, so that ten queued writes do not wait ten times as long.
    let startedAt: number | undefined = monotonicMs();
    const attempt = () => {
      const context = { file, budgetMs, startedAt };
      // The retry after a rebuild of the search index gets the full time budget again.
      startedAt = undefined;
      return retryWhileBusy(() => transact(operation), context);
    };
    const written = lastWrite.then(() => withIndexRepair(attempt));
    lastWrite = written.catch(() => undefined);
    return written;
  };
  const groups = parts.groupWrites
    ? createWriteGroups({ database, statement: runStatement, checkFile, alone: writeAlone })
    : undefined;
  const assertOpen = () => {
    if (closing !== undefined) throw new HermesError(`The session database ${file} is already closed.`);
  };
  return {
    file,
    clock,
    run: (sql, ...values) => Number(runStatement(sql).run(...values).changes),
    get: (sql, ...values) => statement(sql).get(...values),
    all: (sql, ...values) => statement(sql).all(...values),
    lists: (sql, ...values) => listStatement(sql).all(...values) as unknown[][],
    truncatesAtNul: () => (cutsText ??= detectNulTruncation(database)),
    async read(operation) {
      assertOpen();
      return withIndexRepair(() => retryWhileBusy(operation, { file, budgetMs: BUDGET_MS.normal }));
    },
    async write(operation, budgetMs) {
      assertOpen();
      return groups === undefined ? writeAlone(operation, budgetMs) : groups.add(operation, budgetMs);
    },
    close() {
      // Everything that was requested before is still written.
      closing ??= Promise.all([groups?.settled(), lastWrite]).then(() => database.close());
      return closing;
    },
  };
}

function detectNulTruncation(database: SqliteDatabase): boolean {
  const { text } = database.prepare("SELECT 'a' || char(0) AS text").get() as { text: string };
  return text.length === 1;
}

// The store has a few dozen constant statements, so nothing is evicted.
function createStatementCache(
  database: SqliteDatabase,
  options: { lists?: boolean; runs?: boolean } = {},
): (sql: string) => SqliteStatement {
  const statements = new Map<string, SqliteStatement>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(spell(sql, SQLITE));
      statement.setReturnArrays(options.lists ?? false);
      // FTS5 inserts rows with ids above 2^53. The last row id is part of every result, and Node 26 throws if it does
      // not fit a number.
      statement.setReadBigInts(options.runs ?? false);
      statements.set(sql, statement);
    }
    return statement;
  };
}

function createTransactor(parts: ConnectionParts, statement: (sql: string) => SqliteStatement, checkFile: () => void) {
  const { database, file, logger, groupWrites } = parts;
  let writes = 0;
  return <T>(operation: () => T): T => {
    // IMMEDIATE: a conflict with another writer shows at the start, when nothing has been done yet.
    const begin = () => void statement('BEGIN IMMEDIATE').run();
    const finish = writes === 0 ? beginFirst(database, file, begin) : begin();
    let result: T;
    try {
      // Checked under the lock, because the file may have been replaced while this process waited for it.
      checkFile();
      result = operation();
      statement('COMMIT').run();
    } catch (thrown) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (database.isTransaction) statement('ROLLBACK').run();
      throw thrown;
    } finally {
      finish?.();
    }
    writes += 1;
    // Deferred, so that the caller can first start a command or a request, during which the checkpoint runs.
    if (!groupWrites && writes % CHECKPOINT_EVERY_WRITES === 0) setImmediate(() => checkpoint(database, file, logger));
    return result;
  };
}

// The transactions are durable already: a failed checkpoint is tried again after the next fifty writes.
function checkpoint(database: SqliteDatabase, file: string, logger: Logger): void {
  // A closed database needs no checkpoint: closing it made one.
  if (!database.isOpen) return;
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (thrown) {
    logger.debug('checkpoint postponed', { file, reason: String(thrown) });
  }
}
