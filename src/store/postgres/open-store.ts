import { type Clock, systemClock } from '../../base/index.ts';
import { type Logger, type SessionStore, silentLogger } from '../../contracts/index.ts';
import type { RemovalOptions } from '../operations/removal.ts';
import { createSessionStore } from '../operations/session-store.ts';
import { describeLocation, parseDatabaseUrl } from './database-url.ts';
import { createConnectionPool } from './driver.ts';
import { migrateIfNeeded } from './migrate.ts';
import { createPostgresDatabase } from './postgres-database.ts';
import { createSearch } from './search.ts';

export type PostgresStoreOptions = RemovalOptions & {
  url: string;
  /** Passed by tests; otherwise leases use the clock of the database. */
  clock?: Clock;
  logger?: Logger;
  /** The maximum number of connections. */
  poolSize?: number;
  connectSeconds?: number;
  statementSeconds?: number;
  /** How long to wait for a response; a little longer than for a statement, so that the server can report its timeout. */
  answerSeconds?: number;
  /** How long opening waits for an unreachable server. */
  openBudgetMs?: number;
};

/** Enough for a server that is restarting; at startup the user wants an error soon. */
const OPEN_BUDGET_MS = 5_000;
const POOL_SIZE = 4;
const CONNECT_SECONDS = 10;
const STATEMENT_SECONDS = 60;
/** The server gets this much longer than the statement timeout to report it. */
const GRACE_SECONDS = 5;

/** Opens the store in a database. Creates or migrates its tables if necessary. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SessionStore> {
  const { url, clock = systemClock, logger = silentLogger } = options;
  const place = describeLocation(parseDatabaseUrl(url));
  const { poolSize = POOL_SIZE, connectSeconds = CONNECT_SECONDS } = options;
  const { statementSeconds = STATEMENT_SECONDS } = options;
  const { answerSeconds = statementSeconds + GRACE_SECONDS } = options;
  const lanes = createConnectionPool({ url: url.trim(), connectSeconds, answerSeconds, size: poolSize });
  try {
    await migrateIfNeeded(lanes, place, options.openBudgetMs ?? OPEN_BUDGET_MS);
  } catch (thrown) {
    await lanes.close();
    throw thrown;
  }
  logger.debug('store opened', { place });
  const database = createPostgresDatabase({
    pool: lanes,
    location: place,
    clock,
    usesDatabaseClock: clock === systemClock,
    statementMs: statementSeconds * 1000,
  });
  const { sessionFolders } = options;
  return createSessionStore(database, createSearch(database), { sessionFolders });
}

export type DatabaseReport = {
  location: string;
  /** The version of the server, such as `18.4`. */
  server: string;
  sessions: number;
  /** The round-trip time of one query on an open connection. */
  milliseconds: number;
  /** Whether a pooler such as PgBouncer is in between, so that no prepared statements are used. */
  isPooled: boolean;
};

const FACTS = `SELECT current_setting('server_version') AS server, (SELECT COUNT(*) FROM sessions) AS sessions`;

/** Runs the same checks as opening the store and throws if one fails. Does not wait for an unreachable server. */
export async function inspectDatabase(options: {
  url: string;
  connectSeconds: number;
  statementSeconds: number;
}): Promise<DatabaseReport> {
  const { url, connectSeconds, statementSeconds } = options;
  const location = describeLocation(parseDatabaseUrl(url));
  const lanes = createConnectionPool({
    url: url.trim(),
    connectSeconds,
    answerSeconds: connectSeconds + statementSeconds,
    size: 1,
  });
  try {
    await migrateIfNeeded(lanes, location, 0);
    const parts = {
      pool: lanes,
      location: location,
      clock: systemClock,
      usesDatabaseClock: true,
      statementMs: statementSeconds * 1000,
    };
    const facts = await createPostgresDatabase(parts).read((db) => db.get<{ server: string; sessions: number }>(FACTS));
    const started = performance.now();
    await lanes.with((lane) => lane.query('SELECT 1'));
    const milliseconds = Math.round((performance.now() - started) * 10) / 10;
    const [server = '?'] = facts?.server.split(' ') ?? [];
    return {
      location: location,
      server,
      sessions: facts?.sessions ?? 0,
      milliseconds,
      isPooled: !lanes.preparesStatements,
    };
  } finally {
    await lanes.close();
  }
}
