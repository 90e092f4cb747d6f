import { statSync } from 'node:fs';
import type { RunningTurn } from '../../contracts/index.ts';
import { BUDGET_MS, spell } from '../database.ts';
import { LIST_LEASES, type TimedRow, toRunningTurns } from '../operations/leases.ts';
import { toSeconds } from '../rows/values.ts';
import { isCorrupt } from './database-error.ts';
import { openDatabase, type SqliteDatabase, sqliteCode } from './driver.ts';
import { columnNames } from './inspect.ts';
import { retryWhileBusy } from './retry.ts';
import { SQLITE } from './spelling.ts';

/** A database file with the turns that hold a lease, including those of processes that were killed. */
export type LeasedDatabase = { turns: RunningTurn[]; release(): void };

/** The file is read-only or cannot be opened: this process cannot replace it either. */
const NOT_USABLE = new Set([3, 8, 14]);

/** Takes the write lock of a database file, so that no turn starts while the file is moved, and reads the leases. */
export function lockDatabase(file: string): Promise<LeasedDatabase> {
  return openLeases(file, { isLocked: true });
}

/** Reads the leases in a database file without changing anything, not even a write-ahead log that was left behind. */
export async function listFileLeases(file: string): Promise<RunningTurn[]> {
  const { turns, release } = await openLeases(file, { isLocked: false });
  release();
  return turns;
}

/** There are no turns in a file that is missing or unreadable. Other commands report what is wrong with it. */
async function openLeases(file: string, { isLocked }: { isLocked: boolean }): Promise<LeasedDatabase> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return { turns: [], release: () => undefined };
  let database: SqliteDatabase | undefined;
  const release = () => {
    if (database?.isTransaction) database.exec('ROLLBACK');
    if (database?.isOpen) database.close();
  };
  const open = () => {
    database ??= openDatabase(file, { readOnly: !isLocked });
    if (isLocked && !database.isTransaction) database.exec('BEGIN IMMEDIATE');
    return { turns: readTurns(database), release };
  };
  try {
    return await retryWhileBusy(open, { file, budgetMs: BUDGET_MS.normal });
  } catch (thrown) {
    release();
    const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
    if (!isCorrupt(cause) && !NOT_USABLE.has((sqliteCode(cause) ?? 0) & 0xff)) throw thrown;
    return { turns: [], release: () => undefined };
  }
}

function readTurns(database: SqliteDatabase): RunningTurn[] {
  if (columnNames(database, 'session_leases').size === 0) return [];
  const rows = database.prepare(spell(LIST_LEASES, SQLITE)).all(toSeconds(Date.now()));
  return toRunningTurns(rows as TimedRow[]);
}
