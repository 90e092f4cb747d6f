import { systemClock } from '../../base/index.ts';
import { describePlace, parseDatabaseUrl } from './database-url.ts';
import { createLanes } from './lanes.ts';
import { bringUpToDate } from './migrate.ts';
import { createPostgresDatabase } from './postgres-database.ts';

export type DatabaseReport = {
  place: string;
  /** The version of the server, such as `18.4`. */
  server: string;
  sessions: number;
  /** Of one question, once there is a connection. */
  milliseconds: number;
};

const FACTS = `SELECT current_setting('server_version') AS server, (SELECT COUNT(*) FROM sessions) AS sessions`;

/** Looks at the database as a start would; an error says what is wrong. A server that is away is not waited for. */
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
