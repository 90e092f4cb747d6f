import type { JsonObject } from '../../../base/index.ts';
import type { CronRun, CronStore, RunEnd, RunKey, RunState } from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { readObject, toMilliseconds, toSeconds } from '../../rows/values.ts';

type RunRow = {
  job_id: string;
  planned_at: number;
  state: RunState;
  owner: string;
  claimed_at: number;
  ended_at: number | null;
  session_id: string | null;
  error: string | null;
  output_path: string | null;
  deliveries: string | null;
  delivery_error: string | null;
};

const CLAIM = `INSERT INTO cron_runs (job_id, planned_at, state, owner, leased_until, claimed_at)
VALUES (?1, ?2, 'claimed', ?3, {now ?4} + ?5, ?6) ON CONFLICT (job_id, planned_at) DO NOTHING`;
const START = `UPDATE cron_runs SET state = 'running', session_id = ?3, leased_until = {now ?4} + ?5
WHERE job_id = ?1 AND planned_at = ?2 AND state = 'claimed'`;
const RENEW = `UPDATE cron_runs SET leased_until = {now ?3} + ?4
WHERE job_id = ?1 AND planned_at = ?2 AND state IN ('claimed', 'running')`;
// A run that was given up and ends nevertheless has ended: its process was only slow.
const END = `UPDATE cron_runs SET state = ?3, ended_at = ?4, error = ?5, output_path = ?6, deliveries = ?7,
delivery_error = ?8 WHERE job_id = ?1 AND planned_at = ?2`;
const RELEASE = `DELETE FROM cron_runs WHERE job_id = ?1 AND planned_at = ?2 AND state = 'claimed'`;
const OPEN = `SELECT * FROM cron_runs WHERE state IN ('claimed', 'running') ORDER BY planned_at, job_id`;
const JUDGED = `SELECT *, CASE WHEN leased_until < {now ?1} THEN 1 ELSE 0 END AS expired FROM cron_runs
WHERE state IN ('claimed', 'running') ORDER BY planned_at, job_id {skipLocked}`;
const GIVE_UP = `UPDATE cron_runs SET state = 'unknown', ended_at = ?3 WHERE job_id = ?1 AND planned_at = ?2`;
const LIST = 'SELECT * FROM cron_runs ORDER BY planned_at DESC, job_id LIMIT ?1';
const LIST_OF_JOB = 'SELECT * FROM cron_runs WHERE job_id = ?2 ORDER BY planned_at DESC LIMIT ?1';
const PRUNE = `DELETE FROM cron_runs WHERE planned_at < ?1 AND state NOT IN ('claimed', 'running')`;

const JOBS = 'SELECT id, body FROM cron_jobs ORDER BY position';
const LOCKED_JOBS = 'SELECT id, body FROM cron_jobs ORDER BY position {forUpdate}';
const ADD_JOB = 'INSERT INTO cron_jobs (id, body) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET body = excluded.body';
const DELETE_JOB = 'DELETE FROM cron_jobs WHERE id = ?1';

const DEFAULT_LIMIT = 50;

export function createCronStore(database: Database): CronStore {
  return {
    claimRun: (run, ttlMs) => database.write((db) => claim(db, run, ttlMs)),
    startRun: (run, sessionId, ttlMs) => database.write((db) => start(db, run, sessionId, ttlMs)),
    renewRun: (run, ttlMs) => database.write((db) => renew(db, run, ttlMs)),
    endRun: (run, end) => database.write((db) => finish(db, run, end)),
    releaseRun: (run) => database.write((db) => release(db, run)),
    listOpenRuns: () => database.read(listOpen),
    giveUpRuns: (endedAt, judgeOwner) => database.write((db) => giveUp(db, endedAt, judgeOwner)),
    listRuns: (filter = {}) => database.read((db) => list(db, filter)),
    pruneRuns: (before) => database.write((db) => prune(db, before)),
    listStoredJobs: () => database.read((db) => listJobs(db, JOBS)),
    changeStoredJobs: (change) => database.write((db) => changeJobs(db, change)),
  };
}

const keyOf = ({ jobId, plannedAt }: RunKey) => [jobId, toSeconds(plannedAt)] as const;

type Claim = RunKey & { owner: string; claimedAt: number };

function* claim(db: Transaction, run: Claim, ttlMs: number): Work<boolean> {
  const times = [db.leaseTime(), ttlMs / 1000, toSeconds(run.claimedAt)];
  return (yield* db.run(CLAIM, ...keyOf(run), run.owner, ...times)) > 0;
}

function* start(db: Transaction, run: RunKey, sessionId: string | undefined, ttlMs: number): Work<boolean> {
  return (yield* db.run(START, ...keyOf(run), sessionId ?? null, db.leaseTime(), ttlMs / 1000)) > 0;
}

function* renew(db: Transaction, run: RunKey, ttlMs: number): Work<boolean> {
  return (yield* db.run(RENEW, ...keyOf(run), db.leaseTime(), ttlMs / 1000)) > 0;
}

function* finish(db: Transaction, run: RunKey, end: RunEnd & { endedAt: number }): Work<void> {
  const { state, endedAt, error, outputPath, deliveries = [], deliveryError } = end;
  const texts = [error ?? null, outputPath ?? null, JSON.stringify(deliveries), deliveryError ?? null];
  yield* db.run(END, ...keyOf(run), state, toSeconds(endedAt), ...texts);
}

function* release(db: Transaction, run: RunKey): Work<void> {
  yield* db.run(RELEASE, ...keyOf(run));
}

function* listOpen(db: Transaction): Work<CronRun[]> {
  return (yield* db.all<RunRow>(OPEN)).map(toRun);
}

type JudgeOwner = NonNullable<Parameters<CronStore['giveUpRuns']>[1]>;

function* giveUp(db: Transaction, endedAt: number, judgeOwner?: JudgeOwner): Work<CronRun[]> {
  const open = yield* db.all<RunRow & { expired: number }>(JUDGED, db.leaseTime());
  const rows = open.filter(({ owner, expired }) => {
    const judged = judgeOwner?.(owner);
    return judged === undefined ? expired === 1 : judged === 'dead';
  });
  for (const row of rows) yield* db.run(GIVE_UP, row.job_id, row.planned_at, toSeconds(endedAt));
  return rows.map((row) => toRun({ ...row, state: 'unknown', ended_at: toSeconds(endedAt) }));
}

function* list(db: Transaction, { jobId, limit = DEFAULT_LIMIT }: { jobId?: string; limit?: number }): Work<CronRun[]> {
  const rows =
    jobId === undefined ? yield* db.all<RunRow>(LIST, limit) : yield* db.all<RunRow>(LIST_OF_JOB, limit, jobId);
  return rows.map(toRun);
}

function* prune(db: Transaction, before: number): Work<void> {
  yield* db.run(PRUNE, toSeconds(before));
}

function* listJobs(db: Transaction, sql: string): Work<JsonObject[]> {
  const rows = yield* db.all<{ id: string; body: string }>(sql);
  return rows.map(({ id, body }) => ({ ...readObject(body), id }));
}

function* changeJobs(db: Transaction, change: (jobs: JsonObject[]) => JsonObject[]): Work<void> {
  const before = yield* listJobs(db, LOCKED_JOBS);
  const copy = structuredClone(before);
  const after = change(copy);
  if (after === copy) return;
  const idOf = ({ id }: JsonObject) => (typeof id === 'string' ? id : JSON.stringify(id));
  const kept = new Set(after.map(idOf));
  for (const job of before) if (!kept.has(idOf(job))) yield* db.run(DELETE_JOB, idOf(job));
  for (const job of after) yield* db.run(ADD_JOB, idOf(job), JSON.stringify(job));
}

function toRun(row: RunRow): CronRun {
  return {
    jobId: row.job_id,
    plannedAt: toMilliseconds(row.planned_at),
    state: row.state,
    owner: row.owner,
    claimedAt: toMilliseconds(row.claimed_at),
    endedAt: row.ended_at === null ? undefined : toMilliseconds(row.ended_at),
    sessionId: row.session_id ?? undefined,
    error: row.error ?? undefined,
    outputPath: row.output_path ?? undefined,
    deliveries: row.deliveries === null ? [] : (JSON.parse(row.deliveries) as string[]),
    deliveryError: row.delivery_error ?? undefined,
  };
}
