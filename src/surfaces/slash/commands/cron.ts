import { errorMessage, HermesError } from '../../../base/index.ts';
import type { JobSummary, ScheduledJobs } from '../../../contracts/index.ts';
import { openJobs } from '../../../runtime/open-jobs.ts';
import { describeDelivery, formatJobs, formatRuns } from '../../text/job-text.ts';
import { printable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

const USAGE =
  'Usage: /cron, /cron add SCHEDULE PROMPT, /cron run|pause|resume|remove JOB, /cron runs [JOB]. For example:\n/cron add "every 2h" Check the server and report problems\n';
const NONE = 'There are no jobs. Create one, for example: /cron add "weekdays 8:30" Summarize the news\n';
const CHANGES = {
  pause: ['pause', 'Paused'],
  resume: ['resume', 'Resumed'],
  remove: ['remove', 'Removed'],
  delete: ['remove', 'Removed'],
  run: ['requestRun', 'The scheduler runs it now'],
} as const;
const SHOWN_RUNS = 10;

/** `/cron`. */
export async function cronCommand(context: SlashContext, argument: string): Promise<void> {
  const { print } = context;
  const [, action = 'list', rest = ''] = /^(\S+)\s*(.*)$/s.exec(argument.trim()) ?? [];
  const opened = await open(context);
  try {
    if (action === 'list') {
      const jobs = await opened.jobs.list();
      return print(jobs.length === 0 ? NONE : formatJobs(jobs));
    }
    if (action === 'runs') return print(await showRuns(context, opened.jobs, rest));
    if (action === 'add' || action === 'create') return print(await add(opened.jobs, rest));
    const change = Object.hasOwn(CHANGES, action) ? CHANGES[action as keyof typeof CHANGES] : undefined;
    if (change === undefined || rest === '') return print(USAGE);
    const job = await opened.jobs[change[0]](unquote(rest));
    print(`${change[1]}: ${printable(job.name)} (${job.id}).\n`);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    print(`${printable([thrown.message, thrown.hint].filter(Boolean).join(' '))}\n`);
  }
}

/** Those of the chat know where they were created; a terminal chat that has none opens its own. */
async function open({ session, runtime, print }: SlashContext): Promise<{ jobs: ScheduledJobs }> {
  const { jobs, messaging } = session.opened().blueprint;
  if (jobs !== undefined) return { jobs };
  const { store, clock, blueprint } = runtime;
  const { home, storage, variables: env } = blueprint.settings;
  const onImported = (text: string) => print(`${printable(text)}\n`);
  return openJobs({ home, env, store, storage, clock, messaging, onImported });
}

/** The schedule is in quotation marks, or it is the longest start of the text that is one. */
async function add(jobs: ScheduledJobs, text: string): Promise<string> {
  const [, , quoted, after = ''] = /^(["'“])(.+?)["'”]\s*(.*)$/s.exec(text) ?? [];
  if (quoted !== undefined) return created(await jobs.create(quoted, { prompt: after }));
  const words = text.split(/\s+/).filter((word) => word !== '');
  let problem: unknown;
  for (let count = Math.min(MAX_SCHEDULE_WORDS, words.length - 1); count > 0; count -= 1) {
    const schedule = words.slice(0, count).join(' ');
    const isKnown = await jobs.preview(schedule, 1).then(
      ({ times }) => times.length > 0,
      (thrown: unknown) => {
        problem ??= thrown;
        return false;
      },
    );
    if (isKnown) return created(await jobs.create(schedule, { prompt: words.slice(count).join(' ') }));
  }
  return problem === undefined ? USAGE : `${printable(errorMessage(problem))}\n${USAGE}`;
}

const MAX_SCHEDULE_WORDS = 8;

function created(job: JobSummary): string {
  return `Created:\n${formatJobs([job])}`;
}

function unquote(text: string): string {
  return text.replace(/^["'“](.*)["'”]$/s, '$1').trim();
}

async function showRuns({ runtime }: SlashContext, jobs: ScheduledJobs, reference: string): Promise<string> {
  const known = await jobs.list();
  const jobId = reference === '' ? undefined : (await jobs.find(unquote(reference))).id;
  const runs = await runtime.store.openCronStore();
  const found = await runs.listRuns({ ...(jobId && { jobId }), limit: SHOWN_RUNS });
  const ids = found.flatMap(({ deliveries }) => deliveries);
  const states = ids.length === 0 ? [] : await (await runtime.store.openGatewayStore()).getDeliveries(ids);
  const shown = found.map((run) => {
    const job = known.find(({ id }) => id === run.jobId);
    const delivery = describeDelivery(run, states);
    return { ...run, jobName: job?.name ?? 'removed job', timeZone: job?.timeZone ?? 'UTC', delivery };
  });
  return formatRuns(shown) || 'No job has run yet.\n';
}
