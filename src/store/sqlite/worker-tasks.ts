import { rmSync } from 'node:fs';
import { bringUpToDate } from './migrate.ts';
import { explainDatabaseError } from './database-error.ts';
import { assertFile } from './database-file.ts';
import { copyDatabase } from './driver.ts';
import { checkIntegrity } from './integrity.ts';
import { rebuildSearchIndex } from './rebuild-index.ts';
import { optimizeDatabase } from './optimize.ts';
import { repairDatabase } from './repair.ts';

/** Long-running tasks by name. Arguments and results are plain data, because they are passed between threads. */
export const TASKS = {
  backUpDatabase,
  bringUpToDate,
  checkIntegrity,
  optimizeDatabase,
  rebuildSearchIndex,
  repairDatabase,
} as const;

export type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** A complete copy of a database that others may be writing to, made by SQLite itself. Runs in a worker. */
export async function backUpDatabase(file: string, target: string): Promise<void> {
  assertFile(file);
  try {
    await copyDatabase(file, target);
  } catch (thrown) {
    throw explainDatabaseError(thrown, file);
  }
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${target}${end}`, { force: true });
}
