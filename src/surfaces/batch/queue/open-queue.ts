import { ConfigurationError, errorMessage } from '../../../base/index.ts';
import { explainConnectionError } from '../../../util/index.ts';

/** Opens the queue in a database. Messages never contain the URL, which may hold a password. */
export async function openQueue(url: string, onError: (message: string) => void = () => undefined): Promise<JobQueue> {
  // Loaded on demand, because only distributed batch runs need them.
  const { describeLocation, parseDatabaseUrl } = await import('../../../store/postgres/index.ts');
  const location = describeLocation(parseDatabaseUrl(url));
  const { connectQueue } = await import('./queue-protocol.ts');
  let queue: JobQueue;
  try {
    queue = await connectQueue(url.trim(), (error) => onError(redactUrl(errorMessage(error), url)));
  } catch (thrown) {
    throw new ConfigurationError(
      `Could not connect to the queue in the ${location}: ${explainConnectionError(redactUrl(errorMessage(thrown), url))}.`,
      {
        hint: 'Check that PostgreSQL is running there, and check the user and password in the URL.',
      },
    );
  }
  try {
    await createTables(queue);
    return queue;
  } catch (thrown) {
    await queue.close();
    throw new ConfigurationError(
      `Could not create the tables in the ${location}: ${redactUrl(errorMessage(thrown), url)}`,
      {
        hint: 'The user needs the permission to create a schema in this database.',
      },
    );
  }
}

function redactUrl(message: string, url: string): string {
  // Not with `URL`, which cannot parse several hosts.
  const [, username = '', password = ''] = /^\w+:\/\/([^:@/]*):([^@/]*)@/.exec(url.trim()) ?? [];
  const secrets = [url, decodeURIComponent(password), password].filter((secret) => secret !== '');
  return secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message).replaceAll(`${username}:***@`, '');
}

/** A parameter value of a statement. */
export type SqlValue = string | number | boolean | null;
export type SqlRows = Record<string, unknown>[];

/** A prompt taken by a worker; `retryCount` counts earlier attempts. */
export type QueuedJob = { id: string; retryCount: number; index: number };

/** The job queues of all runs in one database, and the database itself. */
export interface JobQueue {
  sql(text: string, values?: SqlValue[]): Promise<SqlRows>;
  /** Creates a queue. A prompt is abandoned after `workersMayDie` workers died while running it. */
  create(name: string, workersMayDie: number): Promise<void>;
  add(name: string, indexes: readonly number[]): Promise<void>;
  /** Indexes of the waiting and the active jobs. */
  unfinished(name: string): Promise<ReadonlySet<number>>;
  /** Takes up to `count` jobs. They are leased as long as heartbeats are sent for them. */
  take(name: string, count: number): Promise<QueuedJob[]>;
  touch(name: string, jobs: readonly QueuedJob[]): Promise<void>;
  complete(name: string, job: QueuedJob): Promise<void>;
  /** Returns a job to the queue immediately. */
  requeue(name: string, job: QueuedJob): Promise<void>;
  /** Requeues the jobs of workers that stopped sending heartbeats. */
  requeueExpired(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/** An advisory lock, so that only one of several starting machines creates the tables. */
const LOCK = 7_240_915_113;

const TABLES = `
CREATE SCHEMA IF NOT EXISTS hermes_batch;
CREATE TABLE IF NOT EXISTS hermes_batch.runs (
  id text PRIMARY KEY,
  state text NOT NULL,
  manifest text NOT NULL,
  options text NOT NULL,
  created_at double precision NOT NULL
);
CREATE TABLE IF NOT EXISTS hermes_batch.prompts (
  run_id text NOT NULL REFERENCES hermes_batch.runs(id) ON DELETE CASCADE,
  prompt_index integer NOT NULL,
  key text NOT NULL,
  prompt text NOT NULL,
  PRIMARY KEY (run_id, prompt_index)
);
CREATE TABLE IF NOT EXISTS hermes_batch.results (
  run_id text NOT NULL REFERENCES hermes_batch.runs(id) ON DELETE CASCADE,
  prompt_index integer NOT NULL,
  kind text NOT NULL,
  line text NOT NULL,
  usd double precision NOT NULL,
  tokens bigint NOT NULL,
  cost_known boolean NOT NULL,
  finished_at double precision NOT NULL,
  PRIMARY KEY (run_id, prompt_index)
);
CREATE TABLE IF NOT EXISTS hermes_batch.retried (
  run_id text NOT NULL REFERENCES hermes_batch.runs(id) ON DELETE CASCADE,
  usd double precision NOT NULL,
  tokens bigint NOT NULL,
  cost_known boolean NOT NULL
);
CREATE INDEX IF NOT EXISTS retried_run ON hermes_batch.retried (run_id);
ALTER TABLE hermes_batch.results ADD COLUMN IF NOT EXISTS attempt text;
ALTER TABLE hermes_batch.retried ADD COLUMN IF NOT EXISTS attempt text;
CREATE UNIQUE INDEX IF NOT EXISTS retried_attempt ON hermes_batch.retried (run_id, attempt);`;

/** Columns are text instead of JSON, so that values are stored byte for byte, including \\u0000. */
async function createTables(queue: Pick<JobQueue, 'sql'>): Promise<void> {
  // A multi-statement query is one transaction, which holds the lock.
  await queue.sql(`SELECT pg_advisory_xact_lock(${LOCK}); ${TABLES}`);
}
