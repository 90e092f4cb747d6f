import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { SessionStore } from '../../../src/contracts/index.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../../src/store/postgres/index.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const TABLES = `writers, sessions, messages, undone_messages, model_calls, turns, session_leases, session_branches, blobs,
blob_references, questions, turn_commands, turn_progress`;

/** A server for the tests of a file. */
export function useServer() {
  let server: PostgresServer;
  const free: string[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());
  return {
    server: () => server,
    /** A database with empty tables, for the rest of a test. One of an earlier test is emptied: that is much faster. */
    async emptyDatabase(): Promise<string> {
      const used = free.pop();
      const url = used ?? (await server.createDatabase());
      onTestFinished(() => void free.push(url));
      if (used === undefined) await (await openPostgresStore({ url })).close();
      else await server.query(`SET search_path TO hermes; TRUNCATE ${TABLES} RESTART IDENTITY CASCADE`, url);
      return url;
    },
  };
}

export async function openForTest(options: PostgresStoreOptions): Promise<SessionStore> {
  const store = await openPostgresStore(options);
  onTestFinished(() => store.close());
  return store;
}
