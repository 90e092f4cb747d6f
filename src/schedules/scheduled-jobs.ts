import { lstat, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { ConfigurationError, type JsonObject } from '../base/index.ts';
import type { JobFields, JobSummary, ScheduledJobs } from '../contracts/index.ts';
import { isInside } from '../util/index.ts';
import {
  findJob,
  type Job,
  newJob,
  pausedJob,
  readJob,
  requestedJob,
  resumedJob,
  summarize,
  withFields,
  withSchedule,
} from './job.ts';
import type { JobStorage } from './job-storage.ts';
import { nextRun } from './next-run.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

type ScheduledJobsOptions = {
  home: string;
  storage: JobStorage;
  /** The time zone of new jobs that name none. */
  timeZone: string;
  now(): number;
  /** Throws `HermesError` if answers cannot be delivered to a target; `origin`, `local` and `all` are known here. */
  checkTarget(target: string): Promise<void>;
};

/** Creates, lists and changes jobs. */
export function createScheduledJobs(options: ScheduledJobsOptions): ScheduledJobs {
  const { storage, timeZone, now } = options;
  const list = async () => readJobs(await storage.list(), timeZone);
  const parse = (text: string) => parseSchedule(text, { now: now(), timeZone });

  /** Replaces one job. The change gets the job as it is stored at that moment. */
  async function change(reference: string, alter: (job: Job) => JsonObject | undefined): Promise<JobSummary> {
    let result: Job | undefined;
    await storage.change((stored) => {
      const job = findJob(readJobs(stored, timeZone), reference);
      const altered = alter(job);
      result = altered === undefined ? job : (readJob(altered, timeZone) ?? job);
      if (altered === undefined) return stored.filter((entry) => entry['id'] !== job.id);
      return stored.map((entry) => (entry['id'] === job.id ? altered : entry));
    });
    return summarize(result as Job);
  }

  return {
    list: async () => (await list()).map(summarize),
    find: async (reference) => summarize(findJob(await list(), reference)),
    async create(schedule, fields) {
      const job = newJob(parse(schedule), await checkFields(options, fields, fields.origin !== undefined), now());
      await storage.change((stored) => [...stored, job]);
      return summarize(readJob(job, timeZone) as Job);
    },
    async edit(reference, { schedule, ...fields }) {
      const before = findJob(await list(), reference);
      const parsed = schedule === undefined ? undefined : parse(schedule);
      const checked = await checkFields(options, fields, before.origin !== undefined);
      return change(before.id, (job) => {
        const altered = withFields(job.stored, checked);
        return parsed === undefined ? altered : replan(job, altered, parsed, now());
      });
    },
    pause: (reference, reason) => change(reference, (job) => pausedJob(job.stored, now(), timeZone, reason)),
    resume: (reference) => change(reference, (job) => resumedJob(job, now())),
    remove: (reference) => change(reference, () => undefined),
    requestRun: (reference) => change(reference, (job) => requestedJob(job, now())),
    async preview(text, count) {
      const schedule = parse(text);
      return { times: nextTimes(schedule, now(), count), timeZone: schedule.timeZone };
    },
  };
}

/** Entries that are no jobs are ignored here, and kept in the file. */
export function readJobs(stored: readonly JsonObject[], timeZone: string): Job[] {
  return stored.flatMap((entry) => readJob(entry, timeZone) ?? []);
}

/** A new schedule makes a completed job run again; a paused one stays paused. */
function replan(job: Job, altered: JsonObject, schedule: Schedule, now: number): JsonObject {
  const planned = withSchedule(altered, schedule, now);
  if (job.stored['state'] !== 'completed') return planned;
  const repeat = { times: schedule.kind === 'once' ? 1 : null, completed: 0 };
  return { ...planned, enabled: true, state: 'scheduled', repeat };
}

export function nextTimes(schedule: Schedule, after: number, count: number): number[] {
  const times: number[] = [];
  for (let time = nextRun(schedule, after); time !== undefined && times.length < count; ) {
    times.push(time);
    time = nextRun(schedule, time, after);
  }
  return times;
}

async function checkFields(options: ScheduledJobsOptions, fields: JobFields, hasOrigin: boolean): Promise<JobFields> {
  const { script, deliver, workdir } = fields;
  if (script) await findScript(options.home, script);
  if (workdir) await checkFolder(workdir);
  for (const target of targetsIn(deliver ?? '')) {
    if (target === 'local' || (target === 'origin' && hasOrigin)) continue;
    await options.checkTarget(target);
  }
  return fields;
}

/** The targets of a job, in the order in which they are written. */
export function targetsIn(deliver: string): string[] {
  return [...new Set(deliver.split(',').flatMap((target) => target.trim() || []))];
}

async function checkFolder(folder: string): Promise<void> {
  if (!isAbsolute(folder)) throw new ConfigurationError(`The working directory ${folder} is not an absolute path.`);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new ConfigurationError(`The working directory ${folder} does not exist.`);
}

/**
 * The path of a script in `scripts/` of the home directory. Absolute paths, `..` and links to other places are refused,
 * because scripts run without approval. Checked when a job is created and again before each run.
 */
export async function findScript(home: string, script: string): Promise<string> {
  const folder = join(home, 'scripts');
  const refuse = (reason: string) =>
    new ConfigurationError(`The script ${script} cannot be used: ${reason}.`, {
      hint: `Put it into ${folder}, and name it by its path in that folder.`,
    });
  if (isAbsolute(script) || /^[A-Za-z]:|^~|^\\/.test(script)) throw refuse('its path is absolute');
  const path = resolve(folder, script);
  if (path === folder || !isInside(folder, path)) throw refuse(`it is outside ${folder}`);
  if ((await lstat(path).catch(() => undefined)) === undefined) throw refuse('it does not exist');
  const [real, root] = await Promise.all([realpath(path).catch(() => undefined), realpath(folder)]);
  if (real === undefined || !isInside(root, real)) throw refuse(`it is a link to a place outside ${folder}`);
  if (!(await stat(real)).isFile()) throw refuse('it is not a file');
  return real;
}
