import { ConfigurationError, errorMessage } from '../../../base/index.ts';

/** The queue in a database. The address may hold a password, so no message ever has it. */
export async function openQueue(url: string, onError: (message: string) => void = () => undefined): Promise<JobQueue> {
  // Loaded here, because only batches on many machines need them.
  const { describePlace, parseDatabaseUrl } = await import('../../../store/postgres/index.ts');
  const place = describePlace(parseDatabaseUrl(url));
  const { connectQueue } = await import('./queue-protocol.ts');
  let queue: JobQueue;
  try {
    queue = await connectQueue(url.trim(), (error) => onError(withoutAddress(errorMessage(error), url)));
  } catch (thrown) {
    throw new ConfigurationError(
      `The queue in the ${place} cannot be used: ${withoutAddress(errorMessage(thrown), url)}`,
      {
        hint: 'Check that PostgreSQL runs there, and the user and password of the address.',
      },
    );
  }
  try {
    await createTables(queue);
    return queue;
  } catch (thrown) {
    await queue.close();
    throw new ConfigurationError(
      `No tables could be made in the ${place}: ${withoutAddress(errorMessage(thrown), url)}`,
      {
        hint: 'The user needs the right to make a schema in this database.',
      },
    );
  }
}

function withoutAddress(message: string, url: string): string {
  // Not by `URL`, which cannot read an address of several hosts.
  const [, username = '', password = ''] = /^\w+:\/\/([^:@/]*):([^@/]*)@/.exec(url.trim()) ?? [];
  const secrets = [url, decodeURIComponent(password), password].filter((secret) => secret !== '');
  return secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message).replaceAll(`${username}:***@`, '');
}

/** What can stand in a statement. */
export type SqlValue = string | number | boolean | null;
export type SqlRows = Record<string, unknown>[];

/** A prompt that a worker has taken; `retryCount` says how often others did before. */
export type QueuedJob = { id: string; retryCount: number; index: number };

/** The queues of all runs in one database, and the database itself. */
export interface JobQueue {
  sql(text: string, values?: SqlValue[]): Promise<SqlRows>;
  /** Makes a queue. A prompt whose workers died more often than this is nobody's any more. */
  create(name: string, workersMayDie: number): Promise<void>;
  add(name: string, indexes: readonly number[]): Promise<void>;
  /** What waits to be taken, or was taken and is not done. */
  unfinished(name: string): Promise<ReadonlySet<number>>;
  /** Takes up to so many, which nobody else gets as long as they are touched. */
  take(name: string, count: number): Promise<QueuedJob[]>;
  touch(name: string, jobs: readonly QueuedJob[]): Promise<void>;
  done(name: string, job: QueuedJob): Promise<void>;
  /** For somebody else, at once. */
  giveBack(name: string, job: QueuedJob): Promise<void>;
  /** What silent workers had can be taken again. */
  returnWorkOfTheDead(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/** All machines may start at the same moment; the lock lets one of them make the tables. */
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
CREATE INDEX IF NOT EXISTS retried_run ON hermes_batch.retried (run_id);`;

/** Texts and not JSON columns: what was put in comes out byte for byte, NUL characters written as \\u0000 included. */
async function createTables(queue: Pick<JobQueue, 'sql'>): Promise<void> {
  // One text is one transaction, which is what the lock lasts for.
  await queue.sql(`SELECT pg_advisory_xact_lock(${LOCK}); ${TABLES}`);
}
