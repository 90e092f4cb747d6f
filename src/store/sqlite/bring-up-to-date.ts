import { openDatabase, type SqliteDatabase } from './driver.ts';
import { backUpBeforeNumbering } from './duplicate-titles.ts';
import { migrate } from './migrate.ts';
import { BUDGET_MS } from '../database.ts';
import { type RetryContext, retryWhileBusy } from './retry.ts';

/** The version from which on titles are unique. */
const UNIQUE_TITLES_VERSION = 4;

/** Brings a file of an earlier version to ours: that can rewrite, copy and index everything in it. */
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

/** All that a file without anything in it needs. */
export function createTables(database: SqliteDatabase, context: RetryContext): Promise<void> {
  return retryWhileBusy(() => migrate(database, context.file), context);
}
