import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorMessage, HermesError } from '../../base/index.ts';
import type { Logger } from '../../contracts/index.ts';
import { fileErrorReason, hasDied, makeFoldersSync, processScope } from '../../util/index.ts';
import { BUDGET_MS } from '../database.ts';
import { openDatabase, sqliteCode } from './driver.ts';
import { OWN_FILE_NAME, readVersions } from './inspect.ts';
import { retryWhileBusy } from './retry.ts';
import { SCHEMA_VERSION } from './schema.ts';

const LOOK_BUDGET_MS = 2_000;

/**
 * The database of a home folder: `state.db`, shared with the original, or our own `hermes.db` where `state.db` belongs
 * to a later version of the original. Whatever else is wrong with the file is told when it is opened.
 */
export async function chooseDatabaseFile(home: string): Promise<string> {
  const shared = join(home, 'state.db');
  if (!existsSync(shared)) return shared;
  try {
    const context = { file: shared, budgetMs: LOOK_BUDGET_MS };
    const schema = await retryWhileBusy(() => lookAtSchema(shared), context);
    return schema > SCHEMA_VERSION ? join(home, OWN_FILE_NAME) : shared;
  } catch {
    return shared;
  }
}

function lookAtSchema(file: string): number {
  const database = openDatabase(file, { readOnly: true });
  try {
    return readVersions(database)?.schema ?? 0;
  } finally {
    database.close();
  }
}

/**
 * Makes sure that the file is there, may be written and is private. An existing database is only looked at and never
 * opened here: closing it again would drop the locks that SQLite holds in this process.
 */
export function prepareDatabaseFile(file: string, logger: Logger): void {
  try {
    makeFoldersSync(dirname(file), { mode: 0o700 });
    if (!existsSync(file)) createPrivately(file);
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (thrown) {
    throw new HermesError(`The session database ${file} cannot be used: ${fileErrorReason(thrown)}.`, {
      hint: 'Sessions need a folder and a file that you may write; check both, or choose another home with HERMES_HOME.',
      cause: thrown,
    });
  }
  assertFile(file);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) makePrivate(path, logger);
}

/** SQLite takes a folder for a disk that fails. */
export function assertFile(file: string): void {
  if (statSync(file).isFile()) return;
  throw new HermesError(`The session database ${file} is not a file; it was left as it is.`, {
    hint: 'Move it aside, or choose another home with HERMES_HOME.',
  });
}

function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (thrown) {
    // Another process made it in between.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

function makePrivate(path: string, logger: Logger): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o077) === 0 || process.platform === 'win32') return;
  try {
    chmodSync(path, 0o600);
  } catch (thrown) {
    // Someone else's file that we may write: usable, but not ours to lock up.
    logger.warn(`Others can read ${path}, and it cannot be made private.`, { reason: errorMessage(thrown) });
  }
}

const NOT_A_DATABASE = 26;

/** Whether a file is a SQLite database. SQLite itself checks, because the file may be in use. */
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

/** The temporary name of a database while it is written. It contains the process id, so that two processes do not collide. */
export function unfinishedName(target: string): string {
  return `${target}.${process.pid}.tmp`;
}

/**
 * Deletes temporary files of this process and of processes that were killed: such a file can be as large as all
 * sessions together.
 */
export function removeUnfinished(target: string): void {
  const scope = processScope();
  for (const name of readdirSync(dirname(target))) {
    if (!name.startsWith(`${basename(target)}.`)) continue;
    const [, pid] = /^\.(\d+)\.tmp(?:-wal|-shm|-journal)?$/.exec(name.slice(basename(target).length)) ?? [];
    if (pid === undefined) continue;
    const isOver = Number(pid) === process.pid || hasDied({ pid: Number(pid), scope }, scope);
    if (isOver) rmSync(join(dirname(target), name), { force: true });
  }
}
