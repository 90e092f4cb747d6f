import { errorMessage } from '../../base/index.ts';
import type { Logger } from '../../contracts/index.ts';
import { isDamagedIndex } from './database-error.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { BUDGET_MS } from '../database.ts';
import { retryWhileBusy } from './retry.ts';
import { RESET_MESSAGE_TERMS } from './schema.ts';

export type RebuiltIndex = { note: string };

/** Builds the search index of a file anew from its messages; done in a worker. The note is for the person. */
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
 * Tries something, and tries it again after building the search index anew where that turns out to be damaged. Nothing
 * but time is lost by that, so nobody needs to be asked. Once per connection: an index that is damaged again at once
 * has another cause, which the person should hear of.
 */
export function createIndexMender(file: string, logger: Logger) {
  let mended: Promise<void> | undefined;
  const mend = async (reason: string) => {
    logger.warn(`The search index of ${file} is damaged and is built anew; that can take a while.`, { reason });
    // Years of messages take minutes, in which everything else goes on.
    const { runInWorker } = await import('./run-in-worker.ts');
    const { note } = await runInWorker('rebuildSearchIndex', [file]);
    logger.warn(note);
  };
  return async <T>(attempt: () => Promise<T>): Promise<T> => {
    const before = mended;
    try {
      return await attempt();
    } catch (thrown) {
      const { cause } = thrown as Error;
      if (before !== undefined || !isDamagedIndex(cause)) throw thrown;
      mended ??= mend(errorMessage(cause));
      await mended;
      return attempt();
    }
  };
}

function rebuild(database: SqliteDatabase, file: string): RebuiltIndex {
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec("INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')");
    // Ours has no text to be built from; it is emptied and catches up like that of a file it has never seen.
    database.exec(RESET_MESSAGE_TERMS);
    database.exec('COMMIT');
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
  return { note: `The search index of ${file} was damaged and has been built anew; no message was lost.` };
}
