import { randomBytes } from 'node:crypto';
import { ConfigurationError, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JobFields, JobLimits, JobSummary, MissedRule, OverlapRule } from '../contracts/index.ts';
import type { DuePlan } from './due.ts';
import { nextRun } from './next-run.ts';
import { fromStored, type Schedule, toStored } from './schedule.ts';
import { readLocalTime, toIsoWithOffset } from './time-zone.ts';

/**
 * A scheduled job. The names of the stored fields are those of the original's `jobs.json`; fields that Hermes does not
 * know are kept in `stored`.
 */
export type Job = {
  id: string;
  name: string;
  prompt: string;
  schedule: Schedule;
  skills: readonly string[];
  isEnabled: boolean;
  /** The next planned time; undefined if there is none. */
  nextRunAt: number | undefined;
  lastRunAt: number | undefined;
  missed: MissedRule | undefined;
  overlap: OverlapRule;
  /** Where the answer goes: `local`, `origin`, or targets of the `send_message` tool, separated by commas. */
  deliver: string;
  origin: JsonObject | undefined;
  script: string | undefined;
  /** The output of the script is the answer, without a model. */
  isScriptOnly: boolean;
  contextFrom: readonly string[];
  workingDirectory: string | undefined;
  model: string | undefined;
  provider: string | undefined;
  baseUrl: string | undefined;
  maxTurns: number | undefined;
  limits: JobLimits;
  repeat: { times: number | undefined; completed: number };
  /** When a user asked for a run outside the schedule. */
  requestedAt: number | undefined;
  /** Whether a run whose process died is repeated. */
  rerunsUnknown: boolean;
  /** How many runs in a row have failed. */
  failures: number;
  /** When a failure was last reported to the user. */
  failureReportedAt: number | undefined;
  /** The provider of the default model at the first run; undefined before that. */
  defaultProvider: string | undefined;
  stored: JsonObject;
};

/** Undefined for an entry that is no job, such as one with a schedule that this version does not know. */
export function readJob(stored: JsonValue, defaultZone: string): Job | undefined {
  if (!isJsonObject(stored) || typeof stored['id'] !== 'string') return undefined;
  const schedule = fromStored(stored['schedule'], defaultZone);
  if (schedule === undefined) return undefined;
  const text = (field: string) =>
    typeof stored[field] === 'string' && stored[field] !== '' ? stored[field] : undefined;
  const time = (field: string) => readLocalTime(text(field) ?? '', schedule.timeZone);
  const figure = (value: JsonValue | undefined) => (typeof value === 'number' && value > 0 ? value : undefined);
  const limits = isJsonObject(stored['limits']) ? stored['limits'] : {};
  const repeat = isJsonObject(stored['repeat']) ? stored['repeat'] : {};
  return {
    id: stored['id'],
    name: text('name') ?? stored['id'],
    prompt: text('prompt') ?? '',
    schedule,
    // An older version of the original has one skill as a text.
    skills: [...new Set([...textsIn(stored['skills']), ...textsIn(stored['skill'])])],
    isEnabled: stored['enabled'] !== false && stored['state'] !== 'paused' && stored['state'] !== 'completed',
    // The original leaves the time out in some states of a job that has not run yet.
    nextRunAt: time('next_run_at') ?? (schedule.kind === 'once' && !text('last_run_at') ? schedule.at : undefined),
    lastRunAt: time('last_run_at'),
    missed: MISSED_RULES.find((rule) => rule === stored['missed']),
    overlap: OVERLAP_RULES.find((rule) => rule === stored['overlap']) ?? 'skip',
    deliver: textsIn(stored['deliver']).join(',') || 'local',
    origin: isJsonObject(stored['origin']) ? stored['origin'] : undefined,
    script: text('script'),
    isScriptOnly: stored['no_agent'] === true,
    contextFrom: textsIn(stored['context_from']),
    workingDirectory: text('workdir'),
    model: text('model'),
    provider: text('provider'),
    baseUrl: text('base_url'),
    maxTurns: figure(stored['max_turns']),
    limits: {
      session_usd: figure(limits['session_usd']),
      session_tokens: figure(limits['session_tokens']),
      turn_seconds: figure(limits['turn_seconds']),
    },
    repeat: { times: figure(repeat['times']), completed: figure(repeat['completed']) ?? 0 },
    requestedAt: time('run_requested_at'),
    rerunsUnknown: stored['rerun_unknown'] === true,
    failures: figure(stored['failure_streak']) ?? 0,
    failureReportedAt: time('failure_reported_at'),
    defaultProvider: text('default_provider'),
    stored,
  };
}

function textsIn(value: JsonValue | undefined): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === 'string' && one !== '') as string[];
}

const MISSED_RULES: readonly MissedRule[] = ['skip', 'once', 'all'];
const OVERLAP_RULES: readonly OverlapRule[] = ['skip', 'queue'];
const MAX_NAME = 50;

export function newJob(schedule: Schedule, fields: JobFields, now: number): JsonObject {
  const prompt = fields.prompt ?? '';
  if (prompt === '' && (fields.skills ?? []).length === 0 && fields.script === undefined) {
    throw new ConfigurationError('A job needs a prompt, a skill or a script.', {
      hint: 'Example: hermes cron create "every 2h" "Check the server and report problems"',
    });
  }
  const first = prompt.trim().split('\n')[0] ?? '';
  const stored: JsonObject = {
    id: randomBytes(6).toString('hex'),
    name: fields.name ?? (first.slice(0, MAX_NAME).trim() || fields.skills?.[0] || fields.script || 'job'),
    prompt,
    skills: [],
    repeat: { times: schedule.kind === 'once' ? 1 : null, completed: 0 },
    enabled: true,
    state: 'scheduled',
    created_at: toIsoWithOffset(now, schedule.timeZone),
    last_run_at: null,
    last_status: null,
    last_error: null,
    deliver: fields.origin === undefined ? 'local' : 'origin',
    origin: fields.origin ?? null,
  };
  return withFields(withSchedule(stored, schedule, now), fields);
}

/** Sets a schedule and plans its next time. */
export function withSchedule(stored: JsonObject, schedule: Schedule, now: number): JsonObject {
  const next = nextRun(schedule, now);
  if (next === undefined) {
    throw new ConfigurationError(`The schedule “${schedule.display}” has no time in the future.`, {
      hint: 'Give a later time.',
    });
  }
  return {
    ...stored,
    schedule: toStored(schedule),
    schedule_display: schedule.display,
    next_run_at: toIsoWithOffset(next, schedule.timeZone),
  };
}

/** An empty text or list removes a field. */
export function withFields(stored: JsonObject, fields: JobFields): JsonObject {
  const changed: JsonObject = {};
  const set = (field: string, value: JsonValue | undefined) => {
    if (value !== undefined) changed[field] = value === '' ? null : value;
  };
  set('name', fields.name);
  if (fields.prompt !== undefined) changed['prompt'] = fields.prompt;
  set('skills', fields.skills && [...fields.skills]);
  // Older versions of the original read this field.
  set('skill', fields.skills && (fields.skills[0] ?? ''));
  set('deliver', fields.deliver);
  set('script', fields.script);
  set('no_agent', fields.noAgent);
  set('context_from', fields.contextFrom && [...fields.contextFrom]);
  set('workdir', fields.workdir);
  set('model', fields.model);
  set('provider', fields.provider);
  set('missed', fields.missed);
  set('overlap', fields.overlap);
  set('rerun_unknown', fields.rerunUnknown);
  set('max_turns', fields.maxTurns);
  set('limits', fields.limits && { ...(isJsonObject(stored['limits']) ? stored['limits'] : {}), ...fields.limits });
  const repeat = isJsonObject(stored['repeat']) ? stored['repeat'] : {};
  set('repeat', fields.repeat === undefined ? undefined : { ...repeat, times: fields.repeat || null });
  return { ...stored, ...changed };
}

export function pausedJob(stored: JsonObject, now: number, timeZone: string, reason?: string): JsonObject {
  const pausedAt = toIsoWithOffset(now, timeZone);
  return { ...stored, enabled: false, state: 'paused', paused_at: pausedAt, paused_reason: reason ?? null };
}

/** A resumed job runs at its next planned time; what it missed while it was paused is not made up for. */
export function resumedJob(job: Job, now: number): JsonObject {
  const { nextRunAt: planned = now } = job;
  const next = planned > now ? planned : nextRun(job.schedule, now, planned);
  if (next === undefined) {
    throw new ConfigurationError(`The job ${job.name} has no time in the future.`, {
      hint: `Give it a new schedule: hermes cron edit ${job.id} --schedule "every 2h"`,
    });
  }
  const nextRunAt = toIsoWithOffset(next, job.schedule.timeZone);
  return {
    ...job.stored,
    enabled: true,
    state: 'scheduled',
    paused_at: null,
    paused_reason: null,
    next_run_at: nextRunAt,
    // Resuming accepts another default model.
    default_provider: null,
  };
}

/** Asks for a run outside the schedule. It has a time of its own: planned times are whole seconds. */
export function requestedJob({ stored }: Job, now: number): JsonObject {
  const requestedAt = now % 1000 === 0 ? now + 1 : now;
  return { ...stored, run_requested_at: new Date(requestedAt).toISOString() };
}

export function withoutRequest({ stored }: Job): JsonObject {
  const { run_requested_at: _, ...rest } = stored;
  return rest;
}

/** Plans the next time before the due runs start, so that no process starts them again. */
export function advancedJob(job: Job, plan: DuePlan): JsonObject {
  const { times, completed } = job.repeat;
  const done = completed + (plan.run === undefined ? 0 : 1);
  const isOver = plan.next === undefined || (times !== undefined && done >= times);
  const repeat = isJsonObject(job.stored['repeat']) ? job.stored['repeat'] : { times: null };
  return {
    ...job.stored,
    repeat: { ...repeat, completed: done },
    next_run_at: isOver || plan.next === undefined ? null : toIsoWithOffset(plan.next, job.schedule.timeZone),
    ...(isOver ? { enabled: false, state: 'completed' } : {}),
  };
}

/** Finds a job by its id, by the start of its id or by its name. Throws if there is none, or more than one. */
export function findJob(jobs: readonly Job[], reference: string): Job {
  const exact = jobs.find(({ id }) => id === reference);
  if (exact !== undefined) return exact;
  const wanted = reference.toLowerCase();
  const named = jobs.filter(({ name }) => name.toLowerCase() === wanted);
  const found = named.length > 0 ? named : jobs.filter(({ id }) => reference !== '' && id.startsWith(wanted));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1) {
    throw new ConfigurationError(
      `“${reference}” is the name of several jobs: ${found.map(({ id }) => id).join(', ')}.`,
      {
        hint: 'Use the id.',
      },
    );
  }
  throw new ConfigurationError(`Job not found: ${reference}.`, { hint: 'hermes cron list --all shows all jobs.' });
}

/** A job as users and models see it. */
export function summarize(job: Job): JobSummary {
  const { stored, schedule } = job;
  const text = (field: string) =>
    typeof stored[field] === 'string' && stored[field] !== '' ? stored[field] : undefined;
  const state = job.isEnabled ? 'scheduled' : stored['state'] === 'completed' ? 'completed' : 'paused';
  return {
    id: job.id,
    name: job.name,
    prompt: job.prompt,
    schedule: schedule.display || text('schedule_display') || describe(schedule),
    timeZone: schedule.timeZone,
    state,
    pausedReason: state === 'paused' ? text('paused_reason') : undefined,
    nextRunAt: job.isEnabled ? job.nextRunAt : undefined,
    lastRunAt: job.lastRunAt,
    lastStatus: text('last_status'),
    lastError: text('last_error'),
    lastDeliveryError: text('last_delivery_error'),
    deliver: job.deliver,
    skills: job.skills,
    script: job.script,
    isScriptOnly: job.isScriptOnly,
    model: job.model === undefined ? undefined : [job.provider, job.model].filter(Boolean).join('/'),
    repeat: job.repeat,
    missed: job.missed,
    overlap: job.overlap,
  };
}

function describe(schedule: Schedule): string {
  if (schedule.kind === 'once') return `once at ${toIsoWithOffset(schedule.at, schedule.timeZone)}`;
  return schedule.kind === 'interval' ? `every ${schedule.minutes}m` : schedule.expression;
}
