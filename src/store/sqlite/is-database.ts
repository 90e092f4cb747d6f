import { openDatabase, sqliteCode } from './driver.ts';
import { BUDGET_MS } from '../database.ts';
import { retryWhileBusy } from './retry.ts';

const NOT_A_DATABASE = 26;

/** Whether SQLite takes a file for a database. It is SQLite that looks, because the file may be in use. */
export async function isDatabaseFile(file: string): Promise<boolean> {
  return retryWhileBusy(() => look(file), { file, budgetMs: BUDGET_MS.normal });
}

function look(file: string): boolean {
  const database = openDatabase(file, { readOnly: true });
  try {
    database.prepare('PRAGMA schema_version').get();
    return true;
  } catch (thrown) {
    if (sqliteCode(thrown) === NOT_A_DATABASE) return false;
    throw thrown;
  } finally {
    database.close();
  }
}
