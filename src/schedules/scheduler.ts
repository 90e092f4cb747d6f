import type { CronStore } from '../contracts/index.ts';
import { settlesWithin } from '../util/index.ts';
import { type DuePlan, dueAt, planDue } from './due.ts';
import type { Job } from './job.ts';
import type { JobStorage } from './job-storage.ts';
import { nextRun } from './next-run.ts';
import {
  advance,
  type DueJob,
  execute,
  giveUpDead,
  type PlannedDue,
  prune,
  type SchedulerOptions,
} from './perform-runs.ts';
import { readJobs } from './scheduled-jobs.ts';

interface Scheduler {
  readonly running: number;
  /** Starts no more runs, lets those that are running end, and then interrupts them. */
  close(drainMs: number): Promise<void>;
}

/** Timers stand still while a computer sleeps, so none is longer than this. */
const MAX_WAIT_MS = 10_000;
/** How often the scheduler checks a job that waits for a run in another process. */
const BUSY_MS = 1000;
const HOUR_MS = 3_600_000;

/** Runs jobs when they are due, until it is closed. Several processes may do so with the same jobs. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { clock, logger, jobs } = options;
  const closing = new AbortController();
  let waking = new AbortController();
  const wake = () => {
    const asleep = waking;
    waking = new AbortController();
    asleep.abort();
  };
  const engine = createEngine(options, wake);

  async function work(): Promise<void> {
    const unwatch = await jobs.watch(wake);
    while (!closing.signal.aborted) {
      const { signal } = waking;
      const wait = await engine.startDue().catch((thrown: unknown) => {
        logger.error('could not look for due jobs', {}, thrown);
        return MAX_WAIT_MS;
      });
      await clock.sleep(wait, AbortSignal.any([closing.signal, signal])).catch(() => undefined);
    }
    unwatch();
  }

  const working = work();
  return {
    get running() {
      return engine.running();
    },
    async close(drainMs) {
      closing.abort();
      engine.stopStarting();
      await working;
      await engine.close(drainMs);
    },
  };
}

/** Runs what is due now, waits for it, and returns how many runs this process performed. */
export async function runDueJobs(options: SchedulerOptions, signal: AbortSignal): Promise<number> {
  const engine = createEngine(options, () => undefined);
  const stop = () => void engine.close(0);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const now = options.clock.now();
    for (let before = -1; engine.performed() > before && !signal.aborted; ) {
      before = engine.performed();
      await engine.startDue(now);
      await engine.settled();
    }
    return engine.performed();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Whether a job is due, or a run is open whose process may have died. */
export async function hasWork(
  { storage, runs, timeZone }: { storage: JobStorage; runs: CronStore; timeZone: string },
  now: number,
): Promise<boolean> {
  if (readJobs(await storage.list(), timeZone).some((job) => isDue(job, now))) return true;
  return (await runs.listOpenRuns()).length > 0;
}

type Engine = {
  /** Claims and starts what is due. Returns after how many milliseconds to look again. */
  startDue(now?: number): Promise<number>;
  running(): number;
  performed(): number;
  settled(): Promise<void>;
  stopStarting(): void;
  close(drainMs: number): Promise<void>;
};

function createEngine(options: SchedulerOptions, wake: () => void): Engine {
  const { clock, logger, runs } = options;
  const stopping = new AbortController();
  /** PlannedDue jobs that wait until fewer runs are performed. They were on time when they were found. */
  const waiting = new Map<string, PlannedDue>();
  const running = new Map<string, Promise<void>>();
  /** When the last run of a job ended here: what became due before that has waited for it. */
  const endedAt = new Map<string, number>();
  let [performed, isClosed, prunedAt] = [0, false, 0];

  function start(due: PlannedDue): void {
    const { id } = due.job;
    const work = execute(options, due, stopping.signal)
      .then((isOurs) => void (performed += isOurs ? 1 : 0))
      .catch((thrown: unknown) => logger.error('a scheduled run failed', { job: id }, thrown))
      .finally(() => {
        running.delete(id);
        endedAt.set(id, clock.now());
        startWaiting();
        wake();
      });
    running.set(id, work);
  }

  function startWaiting(): void {
    for (const [id, due] of waiting) {
      if (isClosed || running.size >= options.maxParallel) return;
      waiting.delete(id);
      start(due);
    }
  }

  async function startDue(now = clock.now()): Promise<number> {
    if (now - prunedAt > HOUR_MS) {
      prunedAt = now;
      await prune(options, now);
    }
    await giveUpDead(options);
    const jobs = readJobs(await options.jobs.list(), options.timeZone);
    const due = jobs.filter((job) => !waiting.has(job.id) && isDue(job, now));
    const open = due.length === 0 ? [] : await runs.listOpenRuns();
    const skipped: { job: Job; times: readonly number[] }[] = [];
    let wait = MAX_WAIT_MS;
    for (const job of due) {
      const isBusy = running.has(job.id) || open.some((run) => run.jobId === job.id && run.plannedAt !== job.nextRunAt);
      const found = planJob(job, { now, isBusy, waitedUntil: endedAt.get(job.id) });
      if (found === 'later') wait = Math.min(wait, BUSY_MS);
      else if (found.plan.run !== undefined) waiting.set(job.id, found as PlannedDue);
      else if ((await advance(options, found)).isAdvanced && found.plan.skipped.length > 0) {
        if (isBusy) logger.info('skipped a run, because the previous one is still running', { job: job.id });
        else skipped.push({ job, times: found.plan.skipped });
      }
    }
    startWaiting();
    if (skipped.length > 0) await options.onSkipped?.(skipped);
    return Math.min(wait, waitFor(jobs, now, clock.now()));
  }

  return {
    startDue,
    running: () => running.size,
    performed: () => performed,
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
    stopStarting: () => void (isClosed = true),
    async close(drainMs) {
      isClosed = true;
      waiting.clear();
      if (!(await settlesWithin(Promise.all(running.values()), drainMs))) stopping.abort(new Error('Hermes stopped'));
      await Promise.all(running.values());
    },
  };
}

function isDue(job: Job, now: number): boolean {
  if (job.requestedAt !== undefined) return true;
  if (!job.isEnabled) return false;
  return job.nextRunAt === undefined ? job.schedule.kind !== 'once' : dueAt(job, job.nextRunAt) <= now;
}

/** The time until the next planned time after the last check, which may have come in the meantime. */
function waitFor(jobs: readonly Job[], lookedAt: number, now: number): number {
  const times = jobs.flatMap((job) => (job.isEnabled && job.nextRunAt !== undefined ? dueAt(job, job.nextRunAt) : []));
  const next = times.filter((time) => time > lookedAt);
  return Math.max(0, Math.min(MAX_WAIT_MS, ...next.map((time) => time - now)));
}

/** What happens to a due job; `later` if it waits for an earlier run. */
function planJob(
  job: Job,
  { now, isBusy, waitedUntil = 0 }: { now: number; isBusy: boolean; waitedUntil: number | undefined },
): DueJob | 'later' {
  if (job.requestedAt !== undefined) {
    const plan: DuePlan = { run: job.requestedAt, skipped: [], rule: 'all', next: job.nextRunAt };
    return isBusy ? 'later' : { job, plan, isRequested: true };
  }
  const { nextRunAt: planned } = job;
  if (planned === undefined) {
    const plan: DuePlan = { run: undefined, skipped: [], rule: 'skip', next: nextRun(job.schedule, now) };
    return { job, plan, isRequested: false };
  }
  // A time that came while the previous run was running was not missed.
  const hasWaited = job.overlap === 'queue' && planned <= waitedUntil;
  const plan = planDue({ ...job, planned, missed: hasWaited ? 'all' : job.missed }, now);
  if (!isBusy) return { job, plan, isRequested: false };
  if (job.overlap === 'queue' || plan.rule === 'all') return 'later';
  const skipped = plan.run === undefined ? plan.skipped : [...plan.skipped, plan.run];
  return { job, plan: { ...plan, run: undefined, skipped }, isRequested: false };
}
