import { type Clock, systemClock } from '../../base/index.ts';
import { type Logger, type SessionStore, silentLogger } from '../../contracts/index.ts';
import type { RemovalOptions } from '../operations/removal.ts';
import { createSessionStore } from '../operations/session-store.ts';
import { describePlace, parseDatabaseUrl } from './database-url.ts';
import { createLanes } from './driver.ts';
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

export type DatabaseReport = {
  place: string;
  /** The version of the server, such as `18.4`. */
  server: string;
  sessions: number;
  /** The round-trip time of one query, without connecting. */
  milliseconds: number;
};

const FACTS = `SELECT current_setting('server_version') AS server, (SELECT COUNT(*) FROM sessions) AS sessions`;

/** Checks the database as a start would; the error says what is wrong. Does not wait for a server that is unreachable. */
export async function inspectDatabase(options: {
  url: string;
  connectSeconds: number;
  statementSeconds: number;
}): Promise<DatabaseReport> {
  const { url, connectSeconds, statementSeconds } = options;
  const place = describePlace(parseDatabaseUrl(url));
  const lanes = createLanes({
    url: url.trim(),
    connectSeconds,
    answerSeconds: connectSeconds + statementSeconds,
    size: 1,
  });
  try {
    await bringUpToDate(lanes, place, 0);
    const parts = { lanes, place, clock: systemClock, usesDatabaseClock: true, statementMs: statementSeconds * 1000 };
    const facts = await createPostgresDatabase(parts).read((db) => db.get<{ server: string; sessions: number }>(FACTS));
    const started = performance.now();
    await lanes.with((lane) => lane.query('SELECT 1'));
    const milliseconds = Math.round((performance.now() - started) * 10) / 10;
    const [server = '?'] = facts?.server.split(' ') ?? [];
    return { place, server, sessions: facts?.sessions ?? 0, milliseconds };
  } finally {
    await lanes.close();
  }
}
