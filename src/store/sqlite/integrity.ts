import { existsSync } from 'node:fs';
import { errorMessage } from '../../base/index.ts';
import { isCorrupt } from './database-error.ts';
import { assertFile } from './database-file.ts';
import { openDatabase } from './driver.ts';
import { assertWritable, readVersions } from './inspect.ts';
import { BUDGET_MS } from '../database.ts';
import { retryWhileBusy } from './retry.ts';

export type IntegrityReport = {
  file: string;
  /** `search`: only the search index is corrupt and can be rebuilt; `damaged`: messages may be lost. */
  state: 'missing' | 'sound' | 'search' | 'damaged';
  /** The first lines of SQLite's report. */
  problems: string[];
};

const MAX_PROBLEMS = 20;

/** Checks a whole file without changing it. Runs in a worker, because it takes as long as reading the file. */
export async function checkIntegrity(file: string): Promise<IntegrityReport> {
  if (!existsSync(file)) return { file, state: 'missing', problems: [] };
  assertFile(file);
  try {
    const context = { file, budgetMs: BUDGET_MS.normal };
    const problems = await retryWhileBusy(() => findProblems(file), context);
    const isSearchOnly = problems.every((problem) => /fts5|messages_fts/i.test(problem));
    return { file, state: problems.length === 0 ? 'sound' : isSearchOnly ? 'search' : 'damaged', problems };
  } catch (thrown) {
    const { cause } = thrown as Error;
    // Other errors, such as a missing permission, say nothing about the content of the file.
    if (!isCorrupt(cause)) throw thrown;
    return { file, state: 'damaged', problems: [errorMessage(cause)] };
  }
}

function findProblems(file: string): string[] {
  const database = openDatabase(file, { readOnly: true });
  try {
    const rows = database.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all() as { integrity_check: string }[];
    const problems = rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
    // A file can be intact and still not be usable, e.g. because it belongs to another program.
    if (problems.length === 0) assertWritable(readVersions(database), file);
    return problems;
  } finally {
    database.close();
  }
}
