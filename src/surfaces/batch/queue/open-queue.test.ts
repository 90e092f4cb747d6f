import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { startPostgres } from '../../../../test/support/postgres/index.ts';
import { type Pgbouncer, pgbouncerSkipReason, startPgbouncer } from '../../../../test/support/postgres/pgbouncer.ts';
import { openQueue } from './open-queue.ts';

const missing = pgbouncerSkipReason();
describe.skipIf(missing !== '')(`a batch queue behind PgBouncer in transaction mode${missing}`, () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let pooler: Pgbouncer;
  beforeAll(async () => {
    postgres = await startPostgres();
    pooler = await startPgbouncer(postgres.url);
  }, 60_000);
  afterAll(async () => {
    await pooler.close();
    await postgres.remove();
  });

  verifies('TRAJ-5', 'gives every job to one worker', async () => {
    const url = pooler.through(await postgres.createDatabase());
    const workers = await Promise.all([openQueue(url), openQueue(url)]);
    const [queue] = workers;
    await queue.create('jobs', 3);
    await queue.add('jobs', [0, 1, 2, 3, 4, 5]);
    const taken = (await Promise.all(workers.map((worker) => worker.take('jobs', 3)))).flat();
    expect(taken.map(({ index }) => index).sort((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5]);
    await Promise.all(taken.map((job) => queue.complete('jobs', job)));
    expect((await queue.unfinished('jobs')).size).toBe(0);
    await Promise.all(workers.map((worker) => worker.close()));
  });
});
