import { resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import type { JobFields, JobSummary, MissedRule, OverlapRule } from '../../../contracts/index.ts';
import { counted } from '../../text/counted.ts';
import { formatJobs, formatJobTime } from '../../text/job-text.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';
import { withJobs } from './with-jobs.ts';

export type JobOptions = {
  name?: string;
  deliver?: string;
  repeat?: number;
  skill?: readonly string[];
  script?: string;
  /** False with `--no-agent`. */
  agent?: boolean;
  contextFrom?: readonly string[];
  workdir?: string;
  model?: string;
  tz?: string;
  missed?: MissedRule;
  overlap?: OverlapRule;
  rerunUnknown?: boolean;
  maxTurns?: number;
  maxCost?: number;
  maxTokens?: number;
  maxSeconds?: number;
  json?: boolean;
};

export type CreateOptions = JobOptions & { dryRun?: boolean };

export type EditOptions = JobOptions & {
  schedule?: string;
  prompt?: string;
  addSkill?: readonly string[];
  removeSkill?: readonly string[];
  clearSkills?: boolean;
};

const PREVIEWED = 5;

/** `hermes cron create`. */
export async function createJob(schedule: string, words: readonly string[], options: CreateOptions, io: CliIo) {
  const written = options.tz === undefined ? schedule : `${schedule} tz=${options.tz}`;
  return withJobs(io, async ({ jobs }) => {
    if (options.dryRun) {
      const { times, timeZone: zone } = await jobs.preview(written, PREVIEWED);
      const lines = times.map((time) => `${formatJobTime(time, zone)} (${zone})\n`);
      io.stdout.write(lines.join('') || 'The schedule has no time in the future.\n');
      return times.length > 0 ? 0 : 1;
    }
    const job = await jobs.create(written, { ...fieldsOf(options, io), prompt: words.join(' ') });
    if (options.json) writeJson(io.stdout, job);
    else io.stdout.write(`Created the job ${job.id}.\n${formatJobs([job])}${await schedulerHint(io)}`);
    return 0;
  });
}

function fieldsOf(options: JobOptions, io: CliIo): JobFields {
  const { name, deliver, repeat, skill, script, contextFrom, workdir, missed, overlap, rerunUnknown } = options;
  const { maxTurns, maxCost, maxTokens, maxSeconds } = options;
  const limits = {
    ...(maxCost !== undefined && { session_usd: maxCost }),
    ...(maxTokens !== undefined && { session_tokens: maxTokens }),
    ...(maxSeconds !== undefined && { turn_seconds: maxSeconds }),
  };
  return {
    name,
    deliver,
    repeat,
    skills: skill,
    script,
    noAgent: options.agent === false ? true : undefined,
    contextFrom,
    workdir: workdir && resolve(io.workingDirectory, workdir),
    ...(options.model !== undefined && { model: options.model, provider: '' }),
    missed,
    overlap,
    rerunUnknown,
    maxTurns,
    limits: Object.keys(limits).length === 0 ? undefined : limits,
  };
}

/** Says how jobs get run, if nothing runs them. */
async function schedulerHint(io: CliIo): Promise<string> {
  const { findScheduler } = await import('./status.ts');
  return (await findScheduler(io)) === undefined
    ? 'No scheduler is running. Start one with `hermes gateway run`, or call `hermes cron tick` regularly.\n'
    : '';
}

/** `hermes cron edit`. */
export async function editJob(reference: string, options: EditOptions, io: CliIo): Promise<number> {
  const { schedule, prompt, tz, addSkill, removeSkill, clearSkills } = options;
  if (tz !== undefined && schedule === undefined)
    throw new ConfigurationError('--tz needs --schedule.', { hint: 'Write the schedule again, with its time zone.' });
  return withJobs(io, async ({ jobs }) => {
    const before = (await jobs.find(reference)).skills;
    const kept = options.skill ?? (clearSkills ? [] : before);
    const skills = [...new Set([...kept, ...(addSkill ?? [])])].filter((name) => !removeSkill?.includes(name));
    const isChanged = options.skill ?? addSkill ?? removeSkill ?? clearSkills;
    const job = await jobs.edit(reference, {
      ...fieldsOf(options, io),
      skills: isChanged === undefined ? undefined : skills,
      prompt,
      schedule: schedule === undefined || tz === undefined ? schedule : `${schedule} tz=${tz}`,
    });
    return show(job, `Changed the job ${job.id}.`, options, io);
  });
}

function show(job: JobSummary, done: string, { json }: { json?: boolean }, io: CliIo): number {
  if (json) writeJson(io.stdout, job);
  else io.stdout.write(`${done}\n${formatJobs([job])}`);
  return 0;
}

/** `hermes cron list`. */
export async function listJobs({ all, json }: { all?: boolean; json?: boolean }, io: CliIo): Promise<number> {
  return withJobs(io, async ({ jobs }) => {
    const known = await jobs.list();
    const shown = all ? known : known.filter(({ state }) => state === 'scheduled');
    if (json) writeJson(io.stdout, shown);
    else if (shown.length > 0) io.stdout.write(formatJobs(shown) + hiddenHint(known.length - shown.length));
    else io.stdout.write(known.length > 0 ? NONE_ACTIVE : NONE);
    return 0;
  });
}

function hiddenHint(count: number): string {
  return count === 0 ? '' : `${counted(count, 'more job')} paused or completed: hermes cron list --all\n`;
}

const NONE = 'There are no jobs. Create one: hermes cron create "every 2h" "Check the server and report problems"\n';
const NONE_ACTIVE = 'No job is scheduled. `hermes cron list --all` also shows paused and completed ones.\n';

export type JobAction = 'pause' | 'resume' | 'remove';
const DONE: Readonly<Record<JobAction, string>> = { pause: 'Paused', resume: 'Resumed', remove: 'Removed' };

/** `hermes cron pause`, `resume` and `remove`. */
export async function changeJob(action: JobAction, reference: string, options: { json?: boolean }, io: CliIo) {
  return withJobs(io, async ({ jobs }) => {
    const job = await jobs[action](reference);
    if (action !== 'remove') return show(job, `${DONE[action]} the job ${job.id}.`, options, io);
    if (options.json) writeJson(io.stdout, job);
    else io.stdout.write(printable(`Removed the job ${job.id} (${job.name}).`) + '\n');
    return 0;
  });
}
