import { type Clock, ConfigurationError, HermesError } from '../base/index.ts';
import { homePaths } from '../config/index.ts';
import type { Logger, SessionStore } from '../contracts/index.ts';

/** The sessions of a home. Loaded here, because SQLite is not needed before the first session is. */
export async function openStore(options: { home: string; clock?: Clock; logger?: Logger }): Promise<SessionStore> {
  const { chooseDatabaseFile, openSqliteStore } = await import('../store/sqlite/index.ts');
  const file = await chooseDatabaseFile(options.home);
  const sessionFolders = [homePaths(options.home).spillFolder];
  try {
    return await openSqliteStore({ file, sessionFolders, clock: options.clock, logger: options.logger });
  } catch (thrown) {
    throw asUnusable(thrown);
  }
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
