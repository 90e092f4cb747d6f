import { HermesError } from '../../base/index.ts';
import type { JobFields, JobSummary, ScheduledJobs, ToolContext } from '../../contracts/index.ts';
import { describeFindings, scanText } from '../../scanning/index.ts';
import { approveCall, ToolFailure } from '../../tools/index.ts';
import type { CronjobArguments } from '../cronjob.ts';

/** Runs a call of the `cronjob` tool. */
export async function callCronjob(args: CronjobArguments, context: ToolContext): Promise<string> {
  const { jobs } = context.services;
  if (jobs === undefined) throw new ToolFailure('Jobs cannot be scheduled here.');
  const { action } = args;
  if (action === 'list') return describeJobs(await jobs.list());
  await scanPrompt(args.prompt);
  await approveCall({ name: 'cronjob', reads: false, asks: true, sends: true }, describeCall(args), context);
  try {
    return await change(jobs, args);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    throw new ToolFailure([thrown.message, thrown.hint].filter(Boolean).join(' '));
  }
}

async function change(jobs: ScheduledJobs, args: CronjobArguments): Promise<string> {
  const { action, job_id: reference = '', schedule } = args;
  if (action === 'create') {
    if (schedule === undefined) throw new ToolFailure('create requires schedule.');
    return `Created.\n${describeJobs([await jobs.create(schedule, fieldsOf(args))])}`;
  }
  if (reference === '') throw new ToolFailure(`${action} requires job_id. Call list to see the jobs.`);
  switch (action) {
    case 'update':
      return `Changed.\n${describeJobs([await jobs.edit(reference, { ...fieldsOf(args), schedule })])}`;
    case 'pause':
      return `Paused.\n${describeJobs([await jobs.pause(reference)])}`;
    case 'resume':
      return `Resumed.\n${describeJobs([await jobs.resume(reference)])}`;
    case 'remove':
      return `Removed the job ${(await jobs.remove(reference)).id}.`;
    default:
      return `The scheduler runs the job ${(await jobs.requestRun(reference)).id} now, if it is running. The answer is delivered, not returned here.`;
  }
}

function fieldsOf(args: CronjobArguments): JobFields {
  return {
    name: args.name,
    prompt: args.prompt,
    skills: args.skills,
    deliver: args.deliver,
    repeat: args.repeat,
    script: args.script,
    noAgent: args.no_agent,
    contextFrom: args.context_from,
    workdir: args.workdir,
    model: args.model?.model,
    provider: args.model?.provider,
  };
}

/** A prompt runs later without a user, so instructions of others must not get into it. */
async function scanPrompt(prompt: string | undefined): Promise<void> {
  const findings = prompt === undefined ? [] : await scanText(prompt, 'context');
  if (findings.length === 0) return;
  throw new ToolFailure(
    `The prompt was refused, because it looks like a prompt injection: ${describeFindings(findings)}. Write it in your own words.`,
  );
}

function describeCall({ action, job_id: id, schedule, prompt, script, deliver }: CronjobArguments): string {
  const parts = { job: id, schedule, script, 'answers go to': deliver, prompt };
  const lines = Object.entries(parts).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return [`${action} a scheduled job`, ...lines].join('\n');
}

function describeJobs(jobs: readonly JobSummary[]): string {
  return jobs.length === 0 ? 'There are no jobs.' : JSON.stringify(jobs.map(toEntry), null, 1);
}

/** With the names of the parameters, so that a model can change what it reads. */
function toEntry(job: JobSummary) {
  const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
  return {
    job_id: job.id,
    name: job.name,
    schedule: job.schedule,
    time_zone: job.timeZone,
    state: job.state,
    next_run_at: iso(job.nextRunAt),
    last_run_at: iso(job.lastRunAt),
    last_status: job.lastStatus,
    last_error: job.lastError,
    last_delivery_error: job.lastDeliveryError,
    deliver: job.deliver,
    prompt: job.prompt,
    ...(job.skills.length > 0 && { skills: job.skills }),
    ...(job.script !== undefined && { script: job.script, no_agent: job.isScriptOnly }),
    ...(job.model !== undefined && { model: job.model }),
  };
}
