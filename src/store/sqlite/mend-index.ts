import { errorMessage, systemClock } from '../../base/index.ts';
import { type Logger, silentLogger } from '../../contracts/index.ts';
import { isDamagedIndex } from './database-error.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { BUDGET_MS, retryWhileBusy } from './retry.ts';
import { RESET_MESSAGE_TERMS } from './search-schema.ts';

export type RebuiltIndex = { note: string };

/** Builds the search index of a file anew from its messages; done in a worker. The note is for the person. */
export async function rebuildSearchIndex(file: string): Promise<RebuiltIndex> {
  const context = { file, clock: systemClock, budgetMs: BUDGET_MS.messages };
  const database = await retryWhileBusy(() => openDatabase(file), context);
  try {
    return await retryWhileBusy(() => rebuild(database, file), context);
  } finally {
    database.close();
  }
}

/**
 * Runs an operation, and runs it again after building the search index anew where that turns out to be damaged. Nothing
 * but time is lost by that, so nobody needs to be asked. Once per connection: an index that is damaged again at once
 * has another cause, which the person should hear of.
 */
export function createIndexMender(database: SqliteDatabase, file: string, logger: Logger = silentLogger) {
  let mended = false;
  return <T>(operation: () => T): T => {
    try {
      return operation();
    } catch (thrown) {
      if (mended || !isDamagedIndex(thrown)) throw thrown;
      logger.warn('the search index is damaged', { file, reason: errorMessage(thrown) });
      const { note } = rebuild(database, file);
      mended = true;
      logger.warn(note, { file });
      return operation();
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
