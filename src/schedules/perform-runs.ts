import { type Clock, errorMessage, type JsonObject } from '../base/index.ts';
import type { CronRun, CronStore, Logger, RunEnd, RunKey } from '../contracts/index.ts';
import type { DuePlan } from './due.ts';
import { advancedJob, type Job, pausedJob, readJob, requestedJob, withoutRequest } from './job.ts';
import type { JobStorage } from './job-storage.ts';
import { readJobs } from './scheduled-jobs.ts';
import { toIsoWithOffset } from './time-zone.ts';

/** How a run ended, and what changes in its job. */
export type RunOutcome = RunEnd & {
  changes?: JsonObject;
  /** Pauses the job, for this reason. */
  pause?: string;
};

export type ClaimedRun = { job: Job; plannedAt: number; sessionId: string | undefined };

export type SchedulerOptions = {
  jobs: JobStorage;
  runs: CronStore;
  clock: Clock;
  logger: Logger;
  /** Names this process in the store. */
  owner: string;
  /** Whether the process with this name is dead; undefined if that cannot be known here. */
  judgeOwner?(owner: string): 'alive' | 'dead' | undefined;
  /** The time zone of jobs that have none. */
  timeZone: string;
  /** How many runs this process performs at the same time. */
  maxParallel: number;
  /** Performs a run that belongs to this process, and delivers its answer. */
  perform(run: ClaimedRun, signal: AbortSignal): Promise<RunOutcome>;
  /** Reports planned times that passed without a run. Each is reported by one process. */
  onSkipped?(skipped: readonly { job: Job; times: readonly number[] }[]): Promise<void>;
  /** Reports a run whose process died. Each is reported by one process. */
  onUnknown?(run: CronRun, job: Job): Promise<JsonObject | undefined>;
};

/** A due job and what happens to it. */
export type DueJob = { job: Job; plan: DuePlan; isRequested: boolean };
/** A due job that runs. */
export type PlannedDue = DueJob & { plan: { run: number } };

/** A run that is not renewed for this long belongs to a dead process. */
const LEASE_MS = 30_000;
const RENEW_MS = LEASE_MS / 3;
const KEPT_MS = 90 * 86_400_000;
const KEPT_COMPLETED_MS = 30 * 86_400_000;

/** Claims a run, plans the next time, and performs it. Returns false if it belongs to another process. */
export async function execute(options: SchedulerOptions, due: PlannedDue, signal: AbortSignal): Promise<boolean> {
  const { runs, clock, owner } = options;
  const key: RunKey = { jobId: due.job.id, plannedAt: due.plan.run };
  const isOurs = await runs.claimRun({ ...key, owner, claimedAt: clock.now() }, LEASE_MS);
  // Also if it belongs to another process, which may have died before it planned the next time.
  const { job, isAdvanced } = await advance(options, due);
  if (!isOurs) return false;
  if (job === undefined) {
    await runs.releaseRun(key);
    return false;
  }
  if (isAdvanced && due.plan.rule === 'skip' && due.plan.skipped.length > 0)
    await options.onSkipped?.([{ job, times: due.plan.skipped }]);
  await performRun(options, { job, key, signal });
  return true;
}

/** Runs a job outside its schedule, in this process. */
export async function runJobNow(
  options: SchedulerOptions,
  job: Job,
  signal: AbortSignal,
): Promise<RunOutcome | undefined> {
  const { runs, clock, owner } = options;
  const now = clock.now();
  // Planned times are whole seconds, and another process may run the job at the same moment.
  const key: RunKey = { jobId: job.id, plannedAt: now % 1000 === 0 ? now + 1 : now };
  while (!(await runs.claimRun({ ...key, owner, claimedAt: now }, LEASE_MS))) key.plannedAt += 1;
  return performRun(options, { job, key, signal });
}

/** Performs a run that this process has claimed, and records how it ended. */
async function performRun(
  options: SchedulerOptions,
  { job, key, signal }: { job: Job; key: RunKey; signal: AbortSignal },
): Promise<RunOutcome | undefined> {
  const { runs, clock } = options;
  const sessionId = job.isScriptOnly ? undefined : sessionIdOf(job, key.plannedAt);
  if (!(await runs.startRun(key, sessionId, LEASE_MS))) return undefined;
  const ended = new AbortController();
  void renewRegularly(options, key, ended.signal);
  let outcome: RunOutcome;
  try {
    outcome = await options.perform({ job, plannedAt: key.plannedAt, sessionId }, signal);
  } catch (thrown) {
    options.logger.error('a scheduled run failed', { job: job.id }, thrown);
    outcome = { state: 'failed', error: errorMessage(thrown) };
  }
  ended.abort();
  const now = clock.now();
  const { changes, pause, ...end } = outcome;
  await runs.endRun(key, { ...end, endedAt: now });
  await changeJob(options, job.id, ({ stored, schedule }) => {
    const record: JsonObject = {
      ...stored,
      last_run_at: toIsoWithOffset(now, schedule.timeZone),
      last_status: end.state === 'done' ? 'ok' : 'error',
      last_error: end.error ?? null,
      last_delivery_error: end.deliveryError ?? null,
      ...changes,
    };
    return pause === undefined ? record : pausedJob(record, now, schedule.timeZone, pause);
  });
  return outcome;
}

/**
 * As the original names them: `cron_JOB_20261116_090000`. A run outside the schedule also has its milliseconds, because
 * there may be several in the same second.
 */
function sessionIdOf({ id, schedule }: Job, plannedAt: number): string {
  const digits = toIsoWithOffset(plannedAt, schedule.timeZone).replace(/[-:]/g, '');
  return `cron_${id}_${digits.slice(0, 8)}_${digits.slice(9, 15)}${fractionOf(plannedAt)}`;
}

/** Distinguishes runs of the same second in names: `_123`, or nothing for planned times, which are whole seconds. */
export function fractionOf(plannedAt: number): string {
  const milliseconds = plannedAt % 1000;
  return milliseconds === 0 ? '' : `_${String(milliseconds).padStart(3, '0')}`;
}

async function renewRegularly({ runs, clock, logger }: SchedulerOptions, key: RunKey, ended: AbortSignal) {
  while (!ended.aborted) {
    await clock.sleep(RENEW_MS, ended).catch(() => undefined);
    if (ended.aborted) return;
    await runs.renewRun(key, LEASE_MS).catch((thrown: unknown) => {
      logger.warn('could not renew a scheduled run', { job: key.jobId, error: errorMessage(thrown) });
    });
  }
}

/**
 * Plans the next time of a job, unless another process has done so. Without a job it was removed or paused in the
 * meantime, so it must not run.
 */
export async function advance(
  options: SchedulerOptions,
  { job, plan, isRequested }: DueJob,
): Promise<{ job?: Job; isAdvanced: boolean }> {
  let found: Job | undefined;
  let isAdvanced = false;
  await changeJob(options, job.id, (current) => {
    const isCompleted = current.stored['state'] === 'completed';
    if (!current.isEnabled && !isCompleted && !isRequested) return undefined;
    found = current;
    if (isRequested) return current.requestedAt === job.requestedAt ? withoutRequest(current) : undefined;
    if (!current.isEnabled || current.nextRunAt !== job.nextRunAt) return undefined;
    isAdvanced = true;
    return advancedJob(current, plan);
  });
  return { job: found, isAdvanced };
}

/** Replaces one job with what the function returns; undefined leaves it as it is. */
async function changeJob(
  { jobs, timeZone }: SchedulerOptions,
  id: string,
  alter: (job: Job) => JsonObject | undefined,
): Promise<void> {
  await jobs.change((stored) => {
    const job = readJob(stored.find((entry) => entry['id'] === id) ?? null, timeZone);
    const altered = job && alter(job);
    return altered === undefined ? stored : stored.map((entry) => (entry['id'] === id ? altered : entry));
  });
}

/** Reports the runs of processes that died, once. */
export async function giveUpDead(options: SchedulerOptions): Promise<void> {
  const { runs, clock, owner, judgeOwner, logger } = options;
  const open = await runs.listOpenRuns();
  if (open.every((run) => run.owner === owner)) return;
  const given = await runs.giveUpRuns(clock.now(), (other) => (other === owner ? 'alive' : judgeOwner?.(other)));
  for (const run of given) {
    const job = readJobs(await options.jobs.list(), options.timeZone).find(({ id }) => id === run.jobId);
    logger.warn('the process of a scheduled run died', { job: run.jobId, owner: run.owner });
    if (job === undefined) continue;
    const changes = await options.onUnknown?.(run, job);
    await changeJob(options, job.id, (current) => {
      const changed: JsonObject = { ...current.stored, last_status: 'error', last_error: UNKNOWN_ERROR, ...changes };
      // Once: a job that kills its process must not do so forever.
      const isRerun = changed['rerun_at'] === new Date(run.plannedAt).toISOString();
      if (!current.rerunsUnknown || isRerun) return changed;
      const requested = requestedJob({ ...current, stored: changed }, clock.now());
      return { ...requested, rerun_at: requested['run_requested_at'] ?? null };
    });
  }
}

/** Forgets old runs, and jobs that were completed long ago. */
export async function prune({ runs, jobs, timeZone }: SchedulerOptions, now: number): Promise<void> {
  await runs.pruneRuns(now - KEPT_MS);
  await jobs.change((stored) => {
    const kept = stored.filter((entry) => {
      const job = entry['state'] === 'completed' ? readJob(entry, timeZone) : undefined;
      return job?.lastRunAt === undefined || job.lastRunAt > now - KEPT_COMPLETED_MS;
    });
    return kept.length === stored.length ? stored : kept;
  });
}

export const UNKNOWN_ERROR = 'The process died during the run, so its outcome is unknown.';
