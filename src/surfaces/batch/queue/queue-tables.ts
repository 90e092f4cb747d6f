import type { JobQueue } from './job-queue.ts';

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
export async function createTables(queue: Pick<JobQueue, 'sql'>): Promise<void> {
  // One text is one transaction, which is what the lock lasts for.
  await queue.sql(`SELECT pg_advisory_xact_lock(${LOCK}); ${TABLES}`);
}
