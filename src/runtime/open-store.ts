import { type Clock, ConfigurationError, HermesError } from '../base/index.ts';
import { homePaths, type StorageSettings } from '../config/index.ts';
import type { Logger, SessionStore } from '../contracts/index.ts';

export type StoreOptions = {
  home: string;
  /** Undefined for the file of the home. */
  storage?: StorageSettings;
  clock?: Clock;
  logger?: Logger;
  /** See `SqliteStoreOptions`. */
  forMany?: boolean;
  /** How long a server that is away is waited for; the store's own patience without it. */
  openBudgetMs?: number;
};

/** The sessions of a home. Loaded here, because neither SQLite nor a driver is needed before the first session is. */
export async function openStore(options: StoreOptions): Promise<SessionStore> {
  const { home, storage, clock, logger, forMany } = options;
  const sessionFolders = [homePaths(home).spillFolder];
  if (storage !== undefined) {
    const { openPostgresStore } = await import('../store/postgres/index.ts');
    return openPostgresStore({ ...storage, sessionFolders, clock, logger, openBudgetMs: options.openBudgetMs });
  }
  const { chooseDatabaseFile, openSqliteStore } = await import('../store/sqlite/index.ts');
  const file = await chooseDatabaseFile(home);
  try {
    return await openSqliteStore({ file, sessionFolders, clock, logger, forMany });
  } catch (thrown) {
    throw asUnusable(thrown);
  }
}

/** Where sessions are: a file, or a database as it may be shown. */
export type StorePlace = { file: string } | { database: string };

export async function findStore({ home, storage }: Pick<StoreOptions, 'home' | 'storage'>): Promise<StorePlace> {
  if (storage !== undefined) {
    const { describePlace, parseDatabaseUrl } = await import('../store/postgres/index.ts');
    return { database: describePlace(parseDatabaseUrl(storage.url)) };
  }
  const { chooseDatabaseFile } = await import('../store/sqlite/index.ts');
  return { file: await chooseDatabaseFile(home) };
}

/** Primary codes of SQLite for what may be gone at the next try: another program, the disk, its space. */
const PASSING = new Set([5, 6, 10, 13, 15]);

/** A home or a file that cannot be used is a matter of the configuration: nothing was started. */
function asUnusable(thrown: unknown): unknown {
  if (!(thrown instanceof HermesError)) return thrown;
  const code = (thrown.cause as { errcode?: unknown } | undefined)?.errcode;
  if (typeof code === 'number' && PASSING.has(code & 0xff)) return thrown;
  return new ConfigurationError(thrown.message, { hint: thrown.hint ?? USE_ANOTHER, cause: thrown });
}

const USE_ANOTHER = 'Move it aside, or choose another home with HERMES_HOME.';
