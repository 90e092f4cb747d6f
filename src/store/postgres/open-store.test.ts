import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openForTest, useServer } from '../../../test/support/postgres/store-fixture.ts';
import { MIGRATIONS } from './migrations.ts';
import { openPostgresStore } from './index.ts';

const { server, emptyDatabase } = useServer();

/** The message of an error, and everything that a log could contain about it. */
async function failureOf(promise: Promise<unknown>): Promise<{ said: string; all: string }> {
  const thrown = await promise.then(
    () => new Error('it worked'),
    (error: Error & { hint?: string }) => error,
  );
  const parts = [thrown, thrown.cause].flatMap((error) =>
    error instanceof Error ? [error.message, error.stack, JSON.stringify(error)] : [],
  );
  return { said: `${thrown.message} ${'hint' in thrown ? thrown.hint : ''}`, all: parts.join('\n') };
}

describe('opening a store on PostgreSQL', () => {
  verifies('STORE-6', 'creates the tables once, even if many processes start at the same time', async () => {
    const url = await server().createDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openForTest({ url, poolSize: 1 })));
    await Promise.all(
      stores.map((store, number) => store.createSession({ id: `${number}`, source: 'cli', startedAt: number })),
    );
    expect(await stores[0]?.listSessions()).toHaveLength(8);
    const versions = MIGRATIONS.map((_, index) => ({ version: index + 1 }));
    expect(await server().query('SELECT version FROM hermes.schema_version', url)).toEqual(versions);
  });

  it('does not change a database that a newer version upgraded', async () => {
    const url = await server().createDatabase();
    await (await openPostgresStore({ url })).close();
    await server().query('INSERT INTO hermes.schema_version (version) VALUES (99)', url);
    const { said } = await failureOf(openPostgresStore({ url }));
    expect(said).toMatch(/upgraded to version 99 by a newer Hermes.*same version of Hermes/);
  });

  verifies('STORE-6', 'errors name the host and the database, and never the password', async () => {
    const { port, password, url } = server();
    const at = `127.0.0.1:${port}`;
    const cases: [string, RegExp][] = [
      [url.replace(password, 'wrong-word'), /database postgres at .* rejects the password.*HERMES_DATABASE_URL/],
      [url.replace(/postgres$/, 'missing'), /database missing at .* does not exist.*createdb/],
      [url.replace(`:${port}`, ':1'), /database postgres at 127.0.0.1:1 could not be reached.*connection refused/],
      [url.replace(at, 'no-such-host.invalid'), /at no-such-host.invalid:5432 could not be reached/],
    ];
    for (const [address, expected] of cases) {
      const { said, all } = await failureOf(openPostgresStore({ url: address, openBudgetMs: 200 }));
      expect(said).toMatch(expected);
      expect(all).not.toContain(password);
      expect(all).not.toContain('wrong-word');
    }
  });

  it('says which privileges a user needs, and works in a schema that was created for it', async () => {
    const url = await server().createDatabase();
    await server().query("CREATE ROLE guest LOGIN PASSWORD 'guest-word'", url);
    const asGuest = url.replace(/postgres:[^@]*@/, 'guest:guest-word@');
    const { said } = await failureOf(openPostgresStore({ url: asGuest }));
    expect(said).toMatch(/does not grant this user the required privileges.*GRANT CREATE ON DATABASE/);
    await server().query('CREATE SCHEMA hermes AUTHORIZATION guest', url);
    const store = await openForTest({ url: asGuest });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    expect(await store.getSession('one')).toMatchObject({ id: 'one' });
  });

  it('opens no more connections than configured, and closes them', async () => {
    const url = await emptyDatabase();
    const store = await openPostgresStore({ url, poolSize: 2 });
    await Promise.all(Array.from({ length: 20 }, () => store.listSessions()));
    const connections = async () =>
      (await server().query(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'hermes'`)).length;
    expect(await connections()).toBe(2);
    await store.close();
    await expect.poll(connections).toBe(0);
  });
});
