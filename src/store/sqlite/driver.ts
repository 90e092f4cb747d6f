import type sqlite from 'node:sqlite';
import { HermesError } from '../../base/index.ts';
import type { SqlValue } from '../database.ts';

/** The only file that uses the SQLite package. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  readonly isTransaction: boolean;
  readonly isOpen: boolean;
  close(): void;
}

export interface SqliteStatement {
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  /** Return rows as arrays instead of objects: a third faster for many rows. */
  setReturnArrays(enabled: boolean): void;
  /** Return integers as bigint, whatever their size. */
  setReadBigInts(enabled: boolean): void;
}

/** The SQLite result code of an error, including extended codes; undefined for other errors. */
export function sqliteCode(thrown: unknown): number | undefined {
  const code = thrown instanceof Error && 'errcode' in thrown ? thrown.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}

/**
 * How long the driver itself waits for a lock, blocking the event loop. Most writes of other processes take less;
 * longer waits are asynchronous.
 */
const BUSY_TIMEOUT_MS = 15;
const COPY_TIMEOUT_MS = 20_000;

export function openDatabase(file: string | URL, options: { readOnly?: boolean } = {}): SqliteDatabase {
  const { DatabaseSync } = loadSqlite();
  return new DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    enableForeignKeyConstraints: true,
    timeout: BUSY_TIMEOUT_MS,
  });
}

/** Copies all pages in one step, so that no other write can come in between. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  const { backup, DatabaseSync } = loadSqlite();
  // This function runs in a worker thread, so it may block while waiting for locks.
  const database = new DatabaseSync(file, { readOnly: true, timeout: COPY_TIMEOUT_MS });
  try {
    await backup(database, target, { rate: 2 ** 31 - 1 });
  } finally {
    database.close();
  }
}

/** Before 3.51.3, a reset of the write-ahead log could in very rare cases lose a commit of another process. */
export function isWalSafe(version: string | undefined = process.versions.sqlite): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(Number);
  if (major !== 3) return major > 3;
  return minor > 51 || (minor === 51 && patch >= 3);
}

// Loaded on demand, because it adds startup time to commands that store nothing. The load is synchronous, so that no
// other code runs while the warning is suppressed.
function loadSqlite(): typeof sqlite {
  // The types promise a module, but an old Node returns undefined.
  const loaded: typeof sqlite | undefined = withoutSqliteWarning(() => process.getBuiltinModule('node:sqlite'));
  if (loaded !== undefined) return loaded;
  throw new HermesError(`Node ${process.version} has no SQLite, which is required for storing sessions.`, {
    hint: 'Install Node 22.22.3, 24.15 or newer.',
  });
}

// Suppresses the warning of Node 22 that SQLite is experimental. All other warnings are passed on.
function withoutSqliteWarning<T>(load: () => T): T {
  const original = Reflect.get(process, 'emitWarning') as (...details: unknown[]) => void;
  process.emitWarning = (...details: unknown[]) => {
    if (!String(details[0]).startsWith('SQLite is an experimental feature')) original.apply(process, details);
  };
  try {
    return load();
  } finally {
    process.emitWarning = original;
  }
}
