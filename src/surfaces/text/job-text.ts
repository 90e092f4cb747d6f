import type { CronRun, JobSummary, OutgoingState } from '../../contracts/index.ts';
import { shorten } from '../../util/index.ts';
import { printable } from './style.ts';

const MAX_PROMPT = 60;

/** A time in the zone of a job, as people write it: `Tue 2026-11-17 08:30`, with seconds if there are any. */
export function formatJobTime(time: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const { weekday, year, month, day, hour, minute, second } = parts;
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute}${second === '00' ? '' : `:${second}`}`;
}

/** Some lines about each job. */
export function formatJobs(jobs: readonly JobSummary[]): string {
  return jobs.map(formatJob).join('');
}

function formatJob(job: JobSummary): string {
  const { timeZone, nextRunAt, lastRunAt, lastStatus, lastError, lastDeliveryError, pausedReason } = job;
  const next = nextRunAt === undefined ? [] : [`next run ${formatJobTime(nextRunAt, timeZone)} (${timeZone})`];
  const last = lastRunAt === undefined ? [] : [`last run ${formatJobTime(lastRunAt, timeZone)}: ${lastStatus ?? '?'}`];
  const state = job.state === 'scheduled' ? [] : [job.state + (pausedReason === undefined ? '' : `: ${pausedReason}`)];
  const runs =
    job.repeat.times === undefined || job.repeat.times === 1
      ? []
      : [`${job.repeat.completed} of ${job.repeat.times} runs`];
  const what = job.isScriptOnly ? `script ${job.script ?? ''}` : shorten(job.prompt, MAX_PROMPT);
  const more = [
    ...(what === '' || what === job.name ? [] : [what]),
    ...(job.skills.length === 0 ? [] : [`skills: ${job.skills.join(', ')}`]),
    ...(job.script === undefined || job.isScriptOnly ? [] : [`script: ${job.script}`]),
    ...(job.model === undefined ? [] : [`model: ${job.model}`]),
  ];
  const lines = [
    `${job.id}  ${job.name}`,
    `    ${[job.schedule, ...state, ...next, ...last, ...runs, describeTarget(job)].join('; ')}`,
    ...(more.length === 0 ? [] : [`    ${more.join('; ')}`]),
    ...(lastError === undefined || lastStatus === 'ok' ? [] : [`    last error: ${lastError}`]),
    ...(lastDeliveryError === undefined ? [] : [`    not delivered: ${lastDeliveryError}`]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function describeTarget({ deliver }: JobSummary): string {
  return deliver === 'local' ? 'answers are saved to a file' : `answers go to ${deliver}`;
}

export type ShownRun = CronRun & { jobName: string; timeZone: string; delivery: string };

/** The state of a delivery: separate from that of the run, and possibly later. */
export function describeDelivery({ deliveries, deliveryError }: CronRun, states: readonly OutgoingState[]): string {
  const own = states.filter(({ id }) => deliveries.includes(id));
  const failed = own.find(({ state }) => state === 'failed' || state === 'expired');
  if (deliveryError !== undefined || failed !== undefined) return `failed: ${deliveryError ?? failed?.error ?? '?'}`;
  if (deliveries.length === 0) return 'none';
  return own.length > 0 && own.every(({ state }) => state === 'sent') ? 'delivered' : 'waiting';
}

/** One line about each run, and one about what went wrong. */
export function formatRuns(runs: readonly ShownRun[]): string {
  return runs
    .map((run) => {
      const { plannedAt, timeZone, state, jobName, jobId, delivery, sessionId, error, endedAt, claimedAt } = run;
      const seconds = endedAt === undefined ? '' : `, ${Math.max(0, Math.round((endedAt - claimedAt) / 1000))} s`;
      const line = `${formatJobTime(plannedAt, timeZone)}  ${state}${seconds}  ${jobName} (${jobId})  delivery: ${delivery}`;
      return [
        line,
        ...(error === undefined ? [] : [`    ${error}`]),
        ...(sessionId === undefined ? [] : [`    session ${sessionId}`]),
      ];
    })
    .flat()
    .map((line) => `${printable(line)}\n`)
    .join('');
}
