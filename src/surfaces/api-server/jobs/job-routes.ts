import { HermesError, type JsonObject, type JsonValue } from '../../../base/index.ts';
import type { JobFields, JobSummary, ScheduledJobs } from '../../../contracts/index.ts';
import { HttpError } from '../../../http/index.ts';
import { openJobs } from '../../../runtime/open-jobs.ts';
import { toSnakeCase } from '../../text/json-line.ts';
import type { ApiContext, ApiRequest, ApiRoute } from '../api-context.ts';
import { invalid, readText, requireObject } from '../read-fields.ts';

/** The scheduled jobs of the user, for keys that act as the user. The gateway runs them. */
export function jobRoutes(context: ApiContext): ApiRoute[] {
  const route = (method: ApiRoute['method'], path: string, handle: Handler): ApiRoute => ({
    method,
    path: `/api/jobs${path}`,
    handle: async (request) => {
      if (request.key.isOwner !== true)
        throw new HttpError(403, 'not_owner', 'Only keys with `--owner` may see and change scheduled jobs.');
      const jobs = await open(context);
      const { id } = request.parameters;
      if (id !== undefined) await jobs.find(id).catch(missing);
      return { json: await handle(jobs, request).catch(explain) };
    },
  });
  const idOf = ({ parameters: { id = '' } }: ApiRequest) => id;
  return [
    route('GET', '', async (jobs) => ({ jobs: (await jobs.list()).map(describe) })),
    route('POST', '', async (jobs, request) => {
      const { schedule, ...fields } = readFields(await request.json());
      if (schedule === undefined) throw invalid('schedule', 'is required');
      return { job: describe(await jobs.create(schedule, fields)) };
    }),
    route('GET', '/:id', async (jobs, request) => ({ job: describe(await jobs.find(idOf(request))) })),
    route('PATCH', '/:id', async (jobs, request) => {
      const changes = readFields(await request.json());
      return { job: describe(await jobs.edit(idOf(request), changes)) };
    }),
    route('DELETE', '/:id', async (jobs, request) => {
      const { id } = await jobs.remove(idOf(request));
      return { ok: true, id };
    }),
    route('POST', '/:id/pause', async (jobs, request) => ({ job: describe(await jobs.pause(idOf(request))) })),
    route('POST', '/:id/resume', async (jobs, request) => ({ job: describe(await jobs.resume(idOf(request))) })),
    route('POST', '/:id/run', async (jobs, request) => ({ job: describe(await jobs.requestRun(idOf(request))) })),
  ];
}

type Handler = (jobs: ScheduledJobs, request: ApiRequest) => Promise<JsonObject>;

async function open({ runtime, env, messaging }: ApiContext): Promise<ScheduledJobs> {
  const { store, clock, blueprint } = runtime;
  const { home, storage } = blueprint.settings;
  return (await openJobs({ home, env, store, storage, clock, messaging: await messaging?.() })).jobs;
}

/** Errors of the jobs are about what the client has sent. */
function explain(thrown: unknown): never {
  if (thrown instanceof HttpError || !(thrown instanceof HermesError)) throw thrown;
  const message = [thrown.message, thrown.hint].filter(Boolean).join(' ');
  throw new HttpError(400, 'invalid_job', message);
}

function missing(thrown: unknown): never {
  if (!(thrown instanceof HermesError)) throw thrown;
  throw new HttpError(404, 'job_not_found', thrown.message);
}

function readFields(sent: JsonValue): JobFields & { schedule?: string | undefined } {
  const body = requireObject(sent);
  const text = (name: string) => readText(body[name], name);
  return {
    schedule: text('schedule'),
    name: text('name'),
    prompt: text('prompt'),
    deliver: text('deliver'),
    workdir: text('workdir'),
    model: text('model'),
    provider: text('provider'),
    skills: readNames(body['skills'], 'skills'),
    repeat: readRepeat(body['repeat']),
  };
}

function readNames(value: JsonValue | undefined, field: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string'))
    throw invalid(field, 'must be a list of names');
  return list;
}

function readRepeat(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw invalid('repeat', 'must be a whole number; 0 is forever');
  return value;
}

function describe(job: JobSummary): JsonObject {
  const toTime = (time: number | undefined) => (time === undefined ? null : new Date(time).toISOString());
  const { nextRunAt, lastRunAt, ...rest } = job;
  const fields = toSnakeCase(JSON.parse(JSON.stringify(rest)) as JsonValue) as JsonObject;
  return { ...fields, next_run_at: toTime(nextRunAt), last_run_at: toTime(lastRunAt) };
}
