import { systemClock } from '../../base/index.ts';
import { silentLogger } from '../../contracts/index.ts';
import { createConnection } from './connection.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { openSqliteStore } from './open-store.ts';
import { BUDGET_MS } from '../database.ts';
import { createSearchIndex } from './search-index.ts';

export type OptimizeReport = {
  file: string;
  bytesBefore: number;
  bytesAfter: number;
  /** False if other processes kept the search index from catching up completely. */
  searchComplete: boolean;
};

/**
 * Updates the search index, refreshes the statistics of the query planner, and returns free space to the disk. Other
 * processes can read meanwhile, but their writes wait. Runs in a worker.
 */
export async function optimizeDatabase(file: string): Promise<OptimizeReport> {
  // Throws if we must not write to the file, and migrates it if necessary.
  await (await openSqliteStore({ file })).close();
  const database = openDatabase(file);
  const connection = createConnection({ database, file, clock: systemClock, logger: silentLogger });
  try {
    const bytesBefore = await connection.read(() => sizeOf(database));
    const searchComplete = await createSearchIndex(connection).catchUp(Number.POSITIVE_INFINITY, BUDGET_MS.normal);
    await connection.write(() => connection.run("INSERT INTO messages_fts(messages_fts) VALUES ('optimize')"));
    await connection.read(() => database.exec('PRAGMA optimize = 0x10002'));
    await connection.read(() => database.exec('VACUUM'));
    // After VACUUM the log contains a copy of the whole file. If a reader is active, a later checkpoint truncates it.
    await connection.read(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    return { file, bytesBefore, bytesAfter: await connection.read(() => sizeOf(database)), searchComplete };
  } finally {
    await connection.close();
  }
}

function sizeOf(database: SqliteDatabase): number {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
  return (database.prepare(sql).get() as { bytes: number }).bytes;
}
