import { type Clock, ConfigurationError, HermesError } from '../base/index.ts';
import { homePaths, type StorageSettings } from '../config/index.ts';
import type { Logger, SessionStore } from '../contracts/index.ts';

export type StoreOptions = {
  home: string;
  /** Undefined for the SQLite file in the home directory. */
  storage?: StorageSettings;
  clock?: Clock;
  logger?: Logger;
  /** See `SqliteStoreOptions`. */
  forMany?: boolean;
  allowReadOnly?: boolean;
  /** How long to wait for an unreachable database server; the store's default if omitted. */
  openBudgetMs?: number;
};

/**
 * Opens the session store of a home directory. The drivers are imported here, because they are not needed before the
 * first session.
 */
export async function openStore(options: StoreOptions): Promise<SessionStore> {
  const { home, storage, clock, logger, forMany, allowReadOnly } = options;
  const sessionFolders = [homePaths(home).spillFolder];
  if (storage !== undefined) {
    const { openPostgresStore } = await import('../store/postgres/index.ts');
    return openPostgresStore({ ...storage, sessionFolders, clock, logger, openBudgetMs: options.openBudgetMs });
  }
  const { chooseDatabaseFile, openSqliteStore, sharedDatabaseFile } = await import('../store/sqlite/index.ts');
  const open = (file: string) =>
    openSqliteStore({ file, sessionFolders, clock, logger, groupWrites: forMany, allowReadOnly });
  try {
    if (allowReadOnly) return await open(await chooseDatabaseFile(home));
    return await open(sharedDatabaseFile(home)).catch(async (thrown: unknown) => {
      // Checked only now, because this opens the file once more.
      const file = await chooseDatabaseFile(home);
      if (file === sharedDatabaseFile(home)) throw thrown;
      return open(file);
    });
  } catch (thrown) {
    throw toConfigurationError(thrown);
  }
}

/** Where sessions are stored: a file, or a database URL that is safe to display. */
export type StoreLocation = { file: string } | { database: string };

export async function findStore({ home, storage }: Pick<StoreOptions, 'home' | 'storage'>): Promise<StoreLocation> {
  if (storage !== undefined) {
    const { describeLocation, parseDatabaseUrl } = await import('../store/postgres/index.ts');
    return { database: describeLocation(parseDatabaseUrl(storage.url)) };
  }
  const { chooseDatabaseFile } = await import('../store/sqlite/index.ts');
  return { file: await chooseDatabaseFile(home) };
}

/** Primary SQLite result codes that may be transient: busy, locked, I/O error, disk full, protocol. */
const TRANSIENT_CODES = new Set([5, 6, 10, 13, 15]);

/** Converts a store error into a configuration error if the home directory or file cannot be used. */
function toConfigurationError(thrown: unknown): unknown {
  if (!(thrown instanceof HermesError)) return thrown;
  const code = (thrown.cause as { errcode?: unknown } | undefined)?.errcode;
  if (typeof code === 'number' && TRANSIENT_CODES.has(code & 0xff)) return thrown;
  return new ConfigurationError(thrown.message, { hint: thrown.hint ?? UNUSABLE_HINT, cause: thrown });
}

const UNUSABLE_HINT = 'Move the file away, or choose another home directory with HERMES_HOME.';
