import { systemClock } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import type { CronRun, JobSummary } from '../../../contracts/index.ts';
import type { OpenedJobs } from '../../../runtime/open-jobs.ts';
import { nextTimes, readJobs } from '../../../schedules/index.ts';
import { describeDelivery, formatJobTime, formatRuns, type ShownRun } from '../../text/job-text.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';
import { withJobs } from './with-jobs.ts';

/** The process id of the gateway, which runs the jobs of this home directory; undefined if there is none here. */
export async function findScheduler(io: CliIo): Promise<number | undefined> {
  const { readStateFile } = await import('../../gateway/index.ts');
  const file = await readStateFile(resolveHome(io.env));
  const pid = file?.isAlive === true ? file.state['pid'] : undefined;
  return typeof pid === 'number' ? pid : undefined;
}

/** `hermes cron status`. Returns 0 if jobs run when they are due, and the last run of none has failed. */
export async function cronStatus({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  return withJobs(io, async ({ jobs, runs }) => {
    const [scheduler, known, open] = [await findScheduler(io), await jobs.list(), await runs.listOpenRuns()];
    const scheduled = known.filter(({ state }) => state === 'scheduled');
    const failing = scheduled.filter(({ lastStatus }) => lastStatus !== undefined && lastStatus !== 'ok');
    const next = scheduled.toSorted((a, b) => (a.nextRunAt ?? Infinity) - (b.nextRunAt ?? Infinity))[0];
    const isHealthy = (scheduler !== undefined || scheduled.length === 0) && failing.length === 0;
    if (json)
      writeJson(io.stdout, {
        isHealthy,
        scheduler,
        jobs: known.length,
        scheduled: scheduled.length,
        next,
        failing,
        open,
      });
    else
      io.stdout.write(
        [
          scheduler === undefined
            ? 'Scheduler: not running here. Start it with `hermes gateway run`, or call `hermes cron tick` regularly.'
            : `Scheduler: running in the gateway (process ${scheduler})`,
          `Jobs: ${scheduled.length} scheduled, ${known.length - scheduled.length} paused or completed`,
          ...(next?.nextRunAt === undefined
            ? []
            : [`Next: ${formatJobTime(next.nextRunAt, next.timeZone)} (${next.timeZone}), ${next.name}`]),
          ...open.map((run) => `Running: ${nameOf(known, run)} since ${new Date(run.claimedAt).toISOString()}`),
          ...failing.map((job) => `Failing: ${job.name} (${job.id}): ${job.lastError ?? 'unknown error'}`),
        ]
          .map((line) => `${printable(line)}\n`)
          .join(''),
      );
    return isHealthy ? 0 : 1;
  });
}

function nameOf(jobs: readonly JobSummary[], { jobId }: Pick<CronRun, 'jobId'>): string {
  return jobs.find(({ id }) => id === jobId)?.name ?? 'removed job';
}

export type RunsOptions = { limit?: number; json?: boolean };

const DEFAULT_RUNS = 20;

/** `hermes cron runs`: the newest runs, each with the state of its delivery. */
export async function listRuns(reference: string | undefined, options: RunsOptions, io: CliIo): Promise<number> {
  return withJobs(io, async ({ jobs, runs, timeZone }, store) => {
    const known = await jobs.list();
    const jobId = reference === undefined ? undefined : (await jobs.find(reference)).id;
    const found = await runs.listRuns({ ...(jobId && { jobId }), limit: options.limit ?? DEFAULT_RUNS });
    const ids = found.flatMap(({ deliveries }) => deliveries);
    const states = ids.length === 0 ? [] : await (await store.openGatewayStore()).getDeliveries(ids);
    const shown = found.map((run): ShownRun => {
      const zone = known.find(({ id }) => id === run.jobId)?.timeZone ?? timeZone;
      return { ...run, jobName: nameOf(known, run), timeZone: zone, delivery: describeDelivery(run, states) };
    });
    if (options.json) writeJson(io.stdout, shown);
    else io.stdout.write(formatRuns(shown) || 'No job has run yet.\n');
    return 0;
  });
}

const DEFAULT_NEXT = 10;

/** `hermes cron next`: the next planned times of all jobs. */
export async function listNext(count: number | undefined, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  return withJobs(io, async (opened) => {
    const planned = await plannedTimes(opened, count ?? DEFAULT_NEXT, (io.clock ?? systemClock).now());
    if (json) writeJson(io.stdout, planned);
    else {
      const lines = planned.map(
        ({ time, timeZone, name, id }) => `${formatJobTime(time, timeZone)} (${timeZone})  ${name} (${id})`,
      );
      io.stdout.write(lines.map((line) => `${printable(line)}\n`).join('') || 'No run is planned.\n');
    }
    return 0;
  });
}

async function plannedTimes({ storage, timeZone }: OpenedJobs, count: number, now: number) {
  const jobs = readJobs(await storage.list(), timeZone).filter(({ isEnabled }) => isEnabled);
  return jobs
    .flatMap(({ id, name, schedule, nextRunAt, repeat }) => {
      const left = repeat.times === undefined ? count : Math.min(count, repeat.times - repeat.completed);
      const later = nextRunAt === undefined || schedule.kind === 'once' ? [] : nextTimes(schedule, nextRunAt, count);
      const times = nextRunAt === undefined ? nextTimes(schedule, now, count) : [nextRunAt, ...later];
      return times.slice(0, left).map((time) => ({ time, timeZone: schedule.timeZone, id, name }));
    })
    .toSorted((a, b) => a.time - b.time)
    .slice(0, count);
}
