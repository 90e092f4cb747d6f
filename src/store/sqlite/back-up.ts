import { rmSync } from 'node:fs';
import { explainDatabaseError } from './database-error.ts';
import { assertFile } from './database-file.ts';
import { copyDatabase } from './driver.ts';

/** A whole copy of a database that others may be writing to, made by SQLite itself. Done in a worker. */
export async function backUpDatabase(file: string, target: string): Promise<void> {
  assertFile(file);
  try {
    await copyDatabase(file, target);
  } catch (thrown) {
    throw explainDatabaseError(thrown, file);
  }
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${target}${end}`, { force: true });
}
