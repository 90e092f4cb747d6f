import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type Pgbouncer, pgbouncerSkipReason, startPgbouncer } from '../../../test/support/postgres/pgbouncer.ts';
import { openForTest, useServer } from '../../../test/support/postgres/store-fixture.ts';
import { systemClock } from '../../base/index.ts';
import { createConnectionPool } from './driver.ts';
import { inspectDatabase } from './index.ts';
import { createPostgresDatabase } from './postgres-database.ts';

const { server, emptyDatabase } = useServer();
const user = (content: string) => ({ role: 'user', content }) as const;

const missing = pgbouncerSkipReason();
describe.skipIf(missing !== '')(`a store behind PgBouncer in transaction mode${missing}`, () => {
  let pooler: Pgbouncer;
  beforeAll(async () => {
    pooler = await startPgbouncer(server().url);
  });
  afterAll(() => pooler.close());

  verifies('STORE-6', 'stores, reads and finds everything without a setting in the URL', async () => {
    const url = pooler.through(await emptyDatabase());
    const stores = await Promise.all(Array.from({ length: 3 }, () => openForTest({ url })));
    await Promise.all(
      stores.map(async (store, writer) => {
        const id = `session ${writer}`;
        await store.createSession({ id, source: 'cli', startedAt: 1 });
        for (let number = 0; number < 10; number += 1) {
          await store.appendMessages(id, [user(`${writer} walrus ${number}`)]);
          const reads = [store.getMessages(id), store.getSession(id), store.searchMessages({ text: 'walrus' })];
          await Promise.all(reads);
        }
        const texts = (await store.getMessages(id)).map(({ message }) => message.content);
        expect(texts).toEqual(Array.from({ length: 10 }, (_, number) => `${writer} walrus ${number}`));
      }),
    );
    expect((await stores[0]?.searchMessages({ text: 'walrus', limit: 50 }))?.hits).toHaveLength(30);
  });

  it('is noticed by its errors if it was not recognised', async () => {
    const url = pooler.through(await emptyDatabase());
    const pool = createConnectionPool({ url, connectSeconds: 10, answerSeconds: 60, size: 3 });
    const parts = { location: 'database', clock: systemClock, usesDatabaseClock: true, statementMs: 10_000 };
    const database = createPostgresDatabase({ pool, ...parts });
    const read = (value: number) =>
      database.read((db) => db.get<{ value: number }>('SELECT CAST(? AS BIGINT) AS value', value));
    for (let round = 0; round < 5; round += 1) {
      const values = await Promise.all([1, 2, 3].map(read));
      expect(values.map((row) => row?.value)).toEqual([1, 2, 3]);
    }
    expect(pool.preparesStatements).toBe(false);
    await database.close();
  });

  verifies('STORE-6', 'is recognised as pooled, unlike a direct connection', async () => {
    const direct = await emptyDatabase();
    const limits = { connectSeconds: 10, statementSeconds: 60 };
    expect(await inspectDatabase({ url: direct, ...limits })).toMatchObject({ isPooled: false });
    expect(await inspectDatabase({ url: pooler.through(direct), ...limits })).toMatchObject({ isPooled: true });
  });
});
