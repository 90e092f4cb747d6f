import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../contracts/index.ts';
import { sharedDatabaseFile } from './database-file.ts';
import type { SqliteDatabase } from './driver.ts';
import { hasOriginalSessions, OWN_FILE_NAME, readVersions } from './inspect.ts';
import { openReadable } from './open-read-only.ts';
import { retryWhileBusy } from './retry.ts';
import { SCHEMA_VERSION } from './schema.ts';

const BUDGET_MS = 2_000;

/** The database of a later version of the original, next to which Hermes uses a file of its own. */
export type OriginalDatabase = {
  file: string;
  schema: number;
  /** The number of its sessions, and of those that our own file does not have. */
  sessions: number;
  missing: number;
};

/**
 * Finds the database of a later version of the original in a home directory; undefined if there is none or if it
 * cannot be read. Both files are opened read-only.
 */
export async function findOriginal(home: string): Promise<OriginalDatabase | undefined> {
  const file = sharedDatabaseFile(home);
  if (!existsSync(file)) return undefined;
  try {
    const found = await readFrom(file, (database) => {
      const schema = readVersions(database)?.schema ?? 0;
      if (schema <= SCHEMA_VERSION || !hasOriginalSessions(database)) return undefined;
      return { schema, ids: sessionIds(database) };
    });
    if (found === undefined) return undefined;
    const own = join(home, OWN_FILE_NAME);
    const present = new Set(existsSync(own) ? await readFrom(own, ownIds) : []);
    const missing = found.ids.filter((id) => !present.has(id)).length;
    return { file, schema: found.schema, sessions: found.ids.length, missing };
  } catch {
    return undefined;
  }
}

function ownIds(database: SqliteDatabase): string[] {
  return hasOriginalSessions(database) ? sessionIds(database) : [];
}

function sessionIds(database: SqliteDatabase): string[] {
  return (database.prepare('SELECT id FROM sessions').all() as { id: string }[]).map(({ id }) => id);
}

async function readFrom<T>(file: string, read: (database: SqliteDatabase) => T): Promise<T> {
  return retryWhileBusy(
    () => {
      const database = openReadable(file, silentLogger);
      try {
        return read(database);
      } finally {
        database.close();
      }
    },
    { file, budgetMs: BUDGET_MS },
  );
}
