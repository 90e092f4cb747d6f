import type sqlite from 'node:sqlite';
import { HermesError } from '../../base/index.ts';
import type { SqlValue } from '../database.ts';

/** The only file that knows which package brings SQLite. */
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
  /** From now on rows are lists of values instead of objects: a third faster for many rows. */
  setReturnArrays(enabled: boolean): void;
  /** From now on whole numbers come as bigint, however large they are. */
  setReadBigInts(enabled: boolean): void;
}

/** SQLite's result code of a thrown error, extended codes included; undefined for errors of another kind. */
export function sqliteCode(thrown: unknown): number | undefined {
  const code = thrown instanceof Error && 'errcode' in thrown ? thrown.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}

/**
 * How long the driver itself waits for a lock, with the event loop standing still. Most writes of other processes are
 * over in less; whatever takes longer is waited for asynchronously.
 */
const BUSY_TIMEOUT_MS = 15;
const COPY_TIMEOUT_MS = 20_000;

export function openDatabase(file: string, options: { readOnly?: boolean } = {}): SqliteDatabase {
  const { DatabaseSync } = loadSqlite();
  return new DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    enableForeignKeyConstraints: true,
    timeout: BUSY_TIMEOUT_MS,
  });
}

/** All pages in one step, which no write of others can come in between of. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  const { backup, DatabaseSync } = loadSqlite();
  // It stands still in a thread of its own, so it can wait for others here.
  const database = new DatabaseSync(file, { readOnly: true, timeout: COPY_TIMEOUT_MS });
  try {
    await backup(database, target, { rate: 2 ** 31 - 1 });
  } finally {
    database.close();
  }
}

/** Before 3.51.3 a reset of the write-ahead log could, very rarely, lose a commit of another process. */
export function isWalSafe(version: string | undefined = process.versions.sqlite): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(Number);
  if (major !== 3) return major > 3;
  return minor > 51 || (minor === 51 && patch >= 3);
}

// Loaded here and not by an import statement, because it costs start-up time for commands that store nothing, and
// because a synchronous load keeps the moment in which a warning is held back from spanning anyone else's code.
function loadSqlite(): typeof sqlite {
  // The types promise a module; a Node that is too old gives undefined.
  const loaded: typeof sqlite | undefined = withoutSqliteWarning(() => process.getBuiltinModule('node:sqlite'));
  if (loaded !== undefined) return loaded;
  throw new HermesError(`Node ${process.version} has no SQLite, which sessions are stored in.`, {
    hint: 'Install Node 22.22.3, 24.15 or newer.',
  });
}

// Node 22 warns that SQLite is experimental when it is loaded. Every other warning passes, and afterwards all do.
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
