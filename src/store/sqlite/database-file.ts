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
import { fileErrorReason, hasProcessEnded, makeFoldersSync, processScope } from '../../util/index.ts';
import { BUDGET_MS } from '../database.ts';
import { openDatabase, sqliteCode } from './driver.ts';
import { OWN_FILE_NAME, readVersions } from './inspect.ts';
import { retryWhileBusy } from './retry.ts';
import { SCHEMA_VERSION } from './schema.ts';

const INSPECT_BUDGET_MS = 2_000;

/** The database that is shared with the original. */
export const sharedDatabaseFile = (home: string) => join(home, 'state.db');

/**
 * The database of a home directory: `state.db`, shared with the original, or our own `hermes.db` if `state.db`
 * belongs to a later version of the original. Other problems with the file are reported when it is opened.
 */
export async function chooseDatabaseFile(home: string): Promise<string> {
  const shared = sharedDatabaseFile(home);
  if (!existsSync(shared)) return shared;
  try {
    const context = { file: shared, budgetMs: INSPECT_BUDGET_MS };
    const schema = await retryWhileBusy(() => readSchemaVersion(shared), context);
    return schema > SCHEMA_VERSION ? join(home, OWN_FILE_NAME) : shared;
  } catch {
    return shared;
  }
}

function readSchemaVersion(file: string): number {
  const database = openDatabase(file, { readOnly: true });
  try {
    return readVersions(database)?.schema ?? 0;
  } finally {
    database.close();
  }
}

/**
 * Makes sure that the file exists, is writable and is private. An existing database is never opened here: closing it
 * again would release the locks that SQLite holds in this process.
 */
export function prepareDatabaseFile(file: string, logger: Logger): void {
  try {
    makeFoldersSync(dirname(file), { mode: 0o700 });
    if (!existsSync(file)) createPrivately(file);
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (thrown) {
    const { code, syscall } = thrown as NodeJS.ErrnoException;
    const isInFile = code === 'EEXIST' && syscall === 'mkdir';
    const reason = isInFile ? `${dirname(file)} is a file, not a folder` : fileErrorReason(thrown);
    throw new HermesError(`The session database ${file} cannot be used: ${reason}.`, {
      hint: isInFile
        ? 'Move that file away, or choose another home directory with HERMES_HOME.'
        : 'The file and its folder must be writable. Check both, or choose another home directory with HERMES_HOME.',
      cause: thrown,
    });
  }
  assertFile(file);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) makePrivate(path, logger);
}

/** SQLite would report a folder as an I/O error. */
export function assertFile(file: string): void {
  if (statSync(file).isFile()) return;
  throw new HermesError(`The session database ${file} is not a file; it was not changed.`, {
    hint: 'Move it aside, or choose another home directory with HERMES_HOME.',
  });
}

function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (thrown) {
    // Another process created it in the meantime.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

function makePrivate(path: string, logger: Logger): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch (thrown) {
    // A file of another user that we may write to: usable, but we cannot change its mode.
    logger.warn(`Other users can read ${path}, and its permissions cannot be changed.`, {
      reason: errorMessage(thrown),
    });
  }
}

const NOT_A_DATABASE = 26;

/** Whether a file is a SQLite database. SQLite itself checks, because the file may be in use. */
export async function isDatabaseFile(file: string): Promise<boolean> {
  return retryWhileBusy(() => canOpen(file), { file, budgetMs: BUDGET_MS.normal });
}

function canOpen(file: string): boolean {
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

/** The name of a staging file. It contains the process id, so that two processes do not collide. */
export function stagingFileName(target: string): string {
  return `${target}.${process.pid}.tmp`;
}

/**
 * Deletes staging files of this process and of processes that were killed: they can be as large as all sessions
 * together.
 */
export function removeStagingFiles(target: string): void {
  const scope = processScope();
  for (const name of readdirSync(dirname(target))) {
    if (!name.startsWith(`${basename(target)}.`)) continue;
    const [, pid] = /^\.(\d+)\.tmp(?:-wal|-shm|-journal)?$/.exec(name.slice(basename(target).length)) ?? [];
    if (pid === undefined) continue;
    const isOver = Number(pid) === process.pid || hasProcessEnded({ pid: Number(pid), scope }, scope);
    if (isOver) rmSync(join(dirname(target), name), { force: true });
  }
}
