import { existsSync } from 'node:fs';
import { HermesError } from '../../base/index.ts';
import type { SessionTransfer } from '../../contracts/index.ts';
import { countImport, type ImportTally, newImportTally } from '../import-tally.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { canReadOriginal, createOriginalReader } from './original-reader.ts';
import { BUDGET_MS } from '../database.ts';
import { retryWhileBusy } from './retry.ts';

/**
 * Takes in the sessions of a file of the original, of any version. The file is opened for reading only: it may be in
 * use, and it may be of a version that we must not write. Doing it again takes in only what is new.
 */
export async function importFromOriginal(
  store: Pick<SessionTransfer, 'importSession'>,
  file: string,
): Promise<ImportTally> {
  if (!existsSync(file)) throw new HermesError(`There is no file ${file}.`);
  const context = { file, budgetMs: BUDGET_MS.normal };
  const database = await retryWhileBusy(() => openDatabase(file, { readOnly: true }), context);
  try {
    const tally = newImportTally();
    const reader = await retryWhileBusy(() => createCheckedReader(database, file), context);
    for (const id of await retryWhileBusy(() => reader.ids(), context)) {
      const record = await retryWhileBusy(() => reader.read(id), context);
      if (record === undefined) continue;
      countImport(tally, await store.importSession(record));
    }
    return tally;
  } finally {
    database.close();
  }
}

function createCheckedReader(database: SqliteDatabase, file: string) {
  if (canReadOriginal(database)) return createOriginalReader(database);
  throw new HermesError(`${file} holds no sessions in a form that is known here.`, {
    hint: 'Give the state.db of a Hermes home.',
  });
}
