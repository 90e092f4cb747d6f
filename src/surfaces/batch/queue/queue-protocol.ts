import { PgBoss } from 'pg-boss';
import type { JobQueue, QueuedJob, SqlRows, SqlValue } from './open-queue.ts';

// The only module that imports the queue package and its driver. It is bundled into a separate file that only
// distributed batch commands load, so its interface uses plain values only.

/**
 * The heartbeat timeout: the minimum that the package allows. A worker that sends no heartbeat for longer loses its
 * jobs.
 */
const HEARTBEAT_SECONDS = 10;
/** The maximum duration of a job. Prompts may take long, so only heartbeats tell whether a worker is still alive. */
const MAX_SECONDS = 23 * 3600;
const RETENTION_SECONDS = 365 * 24 * 3600;
/** How often the queue looks for workers without a heartbeat, across all machines. */
const MONITOR_SECONDS = 2;
const CONNECT_TIMEOUT_MS = 10_000;
const UNFINISHED: readonly string[] = ['created', 'retry', 'active'];

/** Connects, and creates the tables of the package if they are missing. */
export async function connectQueue(url: string, onError: (error: Error) => void): Promise<JobQueue> {
  const boss = new PgBoss({
    connectionString: url,
    schema: 'hermes_queue',
    application_name: 'hermes-batch',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: 4,
    // Nothing is scheduled, and expired jobs are requeued on demand.
    schedule: false,
    supervise: false,
    monitorIntervalSeconds: MONITOR_SECONDS,
  });
  boss.on('error', onError);
  await boss.start();
  return describeQueue(boss);
}

function describeQueue(boss: PgBoss): JobQueue {
  const sql = async (text: string, values: SqlValue[] = []): Promise<SqlRows> =>
    (await boss.getDb().executeSql(text, values)).rows as SqlRows;
  return {
    sql,
    async create(name, workersMayDie) {
      const limits = { heartbeatSeconds: HEARTBEAT_SECONDS, expireInSeconds: MAX_SECONDS };
      const kept = { retentionSeconds: RETENTION_SECONDS, deleteAfterSeconds: 3600 };
      await boss.createQueue(name, { ...limits, ...kept, retryLimit: workersMayDie, retryDelay: 0 });
    },
    async add(name, indexes) {
      await boss.insert(
        name,
        indexes.map((index) => ({ data: { index } })),
      );
    },
    async unfinished(name) {
      const jobs = await boss.findJobs<{ index: number }>(name);
      return new Set(jobs.filter(({ state }) => UNFINISHED.includes(state)).map(({ data }) => data.index));
    },
    async take(name, count) {
      const fetched = boss.fetch<{ index: number }>(name, { batchSize: count, includeMetadata: true });
      const jobs = await unlessDeleted(boss, name, fetched, []);
      return jobs.map(({ id, retryCount, data }): QueuedJob => ({ id, retryCount, index: data.index }));
    },
    async touch(name, jobs) {
      await unlessDeleted(boss, name, boss.touch(name, [...jobs]), undefined);
    },
    async complete(name, job) {
      await unlessDeleted(boss, name, boss.complete(name, job), undefined);
    },
    async requeue(name, job) {
      await unlessDeleted(boss, name, boss.fail(name, job), undefined);
    },
    async requeueExpired(name) {
      await unlessDeleted(boss, name, boss.supervise(name), undefined);
    },
    async remove(name) {
      await boss.deleteQueue(name);
    },
    close: () => boss.stop({ graceful: false, close: true }),
  };
}

/** The run may have been cancelled: an operation on a deleted queue returns `otherwise`. */
async function unlessDeleted<Value, Other>(boss: PgBoss, name: string, asked: Promise<Value>, otherwise: Other) {
  try {
    return await asked;
  } catch (thrown) {
    if ((await boss.getQueue(name)) !== null) throw thrown;
    return otherwise;
  }
}
