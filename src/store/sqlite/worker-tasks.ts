import { backUpDatabase } from './back-up.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import { checkIntegrity } from './integrity.ts';
import { rebuildSearchIndex } from './mend-index.ts';
import { optimizeDatabase } from './optimize.ts';
import { repairDatabase } from './repair.ts';

/** What can take long, by name. Arguments and results are plain data, because they go from thread to thread. */
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
