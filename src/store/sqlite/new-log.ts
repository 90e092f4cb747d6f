import { statSync } from 'node:fs';
import type { SqliteDatabase } from './driver.ts';

/**
 * Begins the first transaction of a connection. If it is also the first of a new write-ahead log, it need not be synced
 * to disk, which saves two syncs before the first request: after a power failure the checksums decide how much of the
 * log is valid, and there are no earlier frames that could be mistaken for it. As always, a power failure can lose the
 * newest commits, and the first checkpoint syncs both files. Returns the function to call after the transaction.
 */
export function beginFirst(database: SqliteDatabase, file: string, begin: () => void): () => void {
  if (!isNewLog(file) || !syncsNormally(database)) {
    begin();
    return () => undefined;
  }
  const syncAgain = () => database.exec('PRAGMA synchronous = NORMAL');
  database.exec('PRAGMA synchronous = OFF');
  try {
    begin();
  } catch (thrown) {
    syncAgain();
    throw thrown;
  }
  if (isNewLog(file)) return syncAgain;
  // Another process has written while this one waited for the lock.
  database.exec('ROLLBACK');
  syncAgain();
  begin();
  return () => undefined;
}

const NORMAL = 1;

/** With a rollback journal, every transaction is synced. */
function syncsNormally(database: SqliteDatabase): boolean {
  return (database.prepare('PRAGMA synchronous').get() as { synchronous: number }).synchronous === NORMAL;
}

/** Nobody has ever written to the log: a log that was truncated could reappear after a power failure. */
function isNewLog(file: string): boolean {
  const stats = statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false });
  return stats?.size === 0n && stats.birthtimeNs > 0n && stats.mtimeNs === stats.birthtimeNs;
}
