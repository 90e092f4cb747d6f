import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HermesError } from '../../base/index.ts';
import type { Logger } from '../../contracts/index.ts';
import { fileErrorReason } from '../../util/index.ts';
import { isUnopenable } from './database-error.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { assertWritable, isCurrent, readVersions } from './inspect.ts';
import { type RetryContext, retryWhileBusy } from './retry.ts';

/** Why an existing file can only be read; undefined if it can be written, or if it does not exist. */
export function findReadOnlyReason(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    accessSync(file, constants.W_OK);
    return undefined;
  } catch (thrown) {
    return fileErrorReason(thrown);
  }
}

/** Opens a file that cannot be written. It must have the current version, because it cannot be migrated. */
export async function openReadOnly(context: RetryContext, logger: Logger): Promise<SqliteDatabase> {
  const { file } = context;
  const database = await retryWhileBusy(() => openReadable(file, logger), context);
  try {
    const versions = readVersions(database);
    assertWritable(versions, file);
    if (isCurrent(versions)) return database;
    throw new HermesError(`The session database ${file} must be upgraded first, but it cannot be written.`, {
      hint: 'Make the file and its folder writable, or copy them to another home directory.',
    });
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/**
 * SQLite shares its write-ahead log with other processes through a file next to the database, and cannot create that
 * file in a read-only folder. If there is none, no other process uses the database, so it is read as an unchanging file.
 */
export function openReadable(file: string, logger: Logger): SqliteDatabase {
  const database = openDatabase(file, { readOnly: true });
  try {
    database.prepare('SELECT COUNT(*) FROM sqlite_master').get();
    return database;
  } catch (thrown) {
    database.close();
    if (!isUnopenable(thrown)) throw thrown;
  }
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) {
    logger.warn(
      `The newest messages may be missing: they are in ${file}-wal, which cannot be read in a read-only folder.`,
    );
  }
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return openDatabase(url, { readOnly: true });
}
