import postgres from 'postgres';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { SessionStore } from '../../../src/contracts/index.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../../src/store/postgres/index.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/**
 * Deletes all rows without triggers: there are few of them, and TRUNCATE would create new files for each table and
 * index.
 */
const EMPTY = `SET session_replication_role = replica;
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'hermes' AND tablename <> 'schema_version'
  LOOP EXECUTE format('DELETE FROM hermes.%I', name); END LOOP;
  PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    FROM pg_sequences WHERE schemaname = 'hermes';
END $$`;

/** One server for the tests of a file. */
export function useServer() {
  let server: PostgresServer;
  const free: string[] = [];
  // One connection for each database, because the first statements of a new one take ten times as long.
  const emptying = new Map<string, postgres.Sql>();
  const empty = async (url: string) => {
    const connection = emptying.get(url) ?? postgres(url, { max: 1, onnotice: () => undefined });
    emptying.set(url, connection);
    await connection.unsafe(EMPTY);
  };
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await Promise.all([...emptying.values()].map((connection) => connection.end()));
    await server.remove();
  });
  return {
    server: () => server,
    /**
     * Returns a database with empty tables for the rest of a test. It empties one of an earlier test if possible,
     * which is much faster than creating a new one.
     */
    async emptyDatabase(): Promise<string> {
      const used = free.pop();
      const url = used ?? (await server.createDatabase());
      onTestFinished(() => void free.push(url));
      if (used === undefined) await (await openPostgresStore({ url })).close();
      else await empty(url);
      return url;
    },
  };
}

export async function openForTest(options: PostgresStoreOptions): Promise<SessionStore> {
  const store = await openPostgresStore(options);
  onTestFinished(() => store.close());
  return store;
}
