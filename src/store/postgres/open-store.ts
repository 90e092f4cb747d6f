import { type Clock, systemClock } from '../../base/index.ts';
import { type Logger, type SessionStore, silentLogger } from '../../contracts/index.ts';
import type { RemovalOptions } from '../operations/removal.ts';
import { createSessionStore } from '../operations/session-store.ts';
import { describePlace, parseDatabaseUrl } from './database-url.ts';
import { createLanes } from './lanes.ts';
import { bringUpToDate } from './migrate.ts';
import { createPostgresDatabase } from './postgres-database.ts';
import { createSearch } from './search.ts';

export type PostgresStoreOptions = RemovalOptions & {
  url: string;
  /** Given by tests; else leases go by the clock of the database. */
  clock?: Clock;
  logger?: Logger;
  /** Connections at most. */
  poolSize?: number;
  connectSeconds?: number;
  statementSeconds?: number;
  /** How long a server that is away is waited for when it is opened. */
  openBudgetMs?: number;
};

/** Enough for a server that is just being restarted; whoever waits at a start wants to know soon. */
const OPEN_BUDGET_MS = 5_000;
const POOL_SIZE = 4;
const CONNECT_SECONDS = 10;
const STATEMENT_SECONDS = 60;
/** More than a server needs to say that the time for a statement is up. */
const GRACE_SECONDS = 5;

/** Opens the sessions in a database, whose tables are made, or brought up to date, where needed. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SessionStore> {
  const { url, clock = systemClock, logger = silentLogger } = options;
  const place = describePlace(parseDatabaseUrl(url));
  const { poolSize = POOL_SIZE, connectSeconds = CONNECT_SECONDS } = options;
  const { statementSeconds = STATEMENT_SECONDS } = options;
  const answerSeconds = statementSeconds + GRACE_SECONDS;
  const lanes = createLanes({ url: url.trim(), connectSeconds, answerSeconds, size: poolSize });
  try {
    await bringUpToDate(lanes, place, options.openBudgetMs ?? OPEN_BUDGET_MS);
  } catch (thrown) {
    await lanes.close();
    throw thrown;
  }
  logger.debug('sessions are in a database', { place });
  const database = createPostgresDatabase({
    lanes,
    place,
    clock,
    usesDatabaseClock: clock === systemClock,
    statementMs: statementSeconds * 1000,
  });
  const { sessionFolders } = options;
  return createSessionStore(database, createSearch(database), { sessionFolders });
}
