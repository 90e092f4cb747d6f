import type { Clock } from '../base/index.ts';
import { homePaths } from '../config/index.ts';
import type { Logger, SessionStore } from '../contracts/index.ts';

/** The sessions of a home. Loaded here, because SQLite is not needed before the first session is. */
export async function openStore(options: { home: string; clock?: Clock; logger?: Logger }): Promise<SessionStore> {
  const { chooseDatabaseFile, openSqliteStore } = await import('../store/sqlite/index.ts');
  const file = await chooseDatabaseFile(options.home);
  const sessionFolders = [homePaths(options.home).spillFolder];
  return openSqliteStore({ file, sessionFolders, clock: options.clock, logger: options.logger });
}
