import { errorMessage } from '../../base/index.ts';
import type { Logger } from '../../contracts/index.ts';
import { isCorruptIndex } from './database-error.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { BUDGET_MS } from '../database.ts';
import { retryWhileBusy } from './retry.ts';
import { RESET_MESSAGE_TERMS } from './schema.ts';

export type RebuiltIndex = { note: string };

/** Rebuilds the search index of a file from its messages; runs in a worker. The note is shown to the user. */
export async function rebuildSearchIndex(file: string): Promise<RebuiltIndex> {
  const context = { file, budgetMs: BUDGET_MS.messages };
  const database = await retryWhileBusy(() => openDatabase(file), context);
  try {
    return await retryWhileBusy(() => rebuild(database, file), context);
  } finally {
    database.close();
  }
}

/**
 * Runs an operation; if the search index turns out to be corrupt, rebuilds it and retries. This costs only time, so
 * the user is not asked. It happens once per connection: an index that becomes corrupt again has another cause, which
 * must be reported.
 */
export function createIndexRepair(file: string, logger: Logger) {
  let repaired: Promise<void> | undefined;
  const repair = async (reason: string) => {
    logger.warn(`The search index of ${file} is damaged and is being rebuilt; this can take a while.`, { reason });
    // Rebuilding takes minutes for years of messages, so it runs in a worker thread.
    const { runInWorker } = await import('./run-in-worker.ts');
    const { note } = await runInWorker('rebuildSearchIndex', [file]);
    logger.warn(note);
  };
  return async <T>(attempt: () => Promise<T>): Promise<T> => {
    const before = repaired;
    try {
      return await attempt();
    } catch (thrown) {
      const { cause } = thrown as Error;
      if (before !== undefined || !isCorruptIndex(cause)) throw thrown;
      repaired ??= repair(errorMessage(cause));
      await repaired;
      return attempt();
    }
  };
}

function rebuild(database: SqliteDatabase, file: string): RebuiltIndex {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec("INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')");
    // Our own index stores no text to rebuild from; it is emptied and catches up as it does for a new file.
    database.exec(RESET_MESSAGE_TERMS);
    database.exec('COMMIT');
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
  return { note: `The search index of ${file} was damaged and has been rebuilt; no message was lost.` };
}
