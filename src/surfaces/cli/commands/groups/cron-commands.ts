import type { CreateOptions, EditOptions, JobAction } from '../../cron/jobs.ts';
import type { RunsOptions } from '../../cron/status.ts';
import { type CommandCall, type CommandRow, type Json, JSON_OPTION, type ValueRow } from '../command-row.ts';
import { collect, parseChoice, parseCount, parseAmount } from '../option-values.ts';

const JOB: ValueRow = { form: '<job>', about: 'the id of a job, the start of its id, or its name' };

function parseRepeat(text: string): number {
  return text === '0' || text === 'forever' ? 0 : parseCount(text);
}

/** What `create` and `edit` have in common. */
const JOB_OPTIONS: readonly ValueRow[] = [
  { form: '--name <name>', about: 'a name; by default the start of the prompt' },
  {
    form: '--deliver <targets>',
    about: 'where answers go: local, origin, all, telegram, telegram:CHAT or telegram:#NAME; several with commas',
  },
  { form: '--repeat <n>', about: 'how often the job runs; 0 is forever', parse: parseRepeat },
  { form: '--skill <name>', about: 'a skill that the job uses; repeatable', parse: collect },
  { form: '--script <file>', about: 'a file in scripts/ of the home directory that runs before the prompt' },
  { form: '--no-agent', about: 'the output of the script is the answer; no model is used' },
  {
    form: '--context-from <job>',
    about: 'add the last answer of another job to the prompt; repeatable',
    parse: collect,
  },
  { form: '--workdir <folder>', about: 'the working directory' },
  { form: '--model <model>', about: 'always use this model: MODEL or PROVIDER/MODEL' },
  { form: '--tz <zone>', about: 'the time zone of the schedule, such as Europe/Berlin' },
  {
    form: '--missed <rule>',
    about: 'what happens to runs that were missed while no scheduler ran: skip, once or all',
    parse: parseChoice(['skip', 'once', 'all']),
  },
  {
    form: '--overlap <rule>',
    about: 'what happens to a run while the previous one is running: skip or queue',
    parse: parseChoice(['skip', 'queue']),
  },
  { form: '--rerun-unknown', about: 'repeat a run once if its process died' },
  { form: '--max-turns <n>', about: 'the maximum number of steps of a run', parse: parseCount },
  { form: '--max-cost <usd>', about: 'the maximum cost of a run', parse: parseAmount },
  { form: '--max-tokens <n>', about: 'the maximum number of tokens of a run', parse: parseCount },
  { form: '--max-seconds <n>', about: 'the maximum duration of a run', parse: parseAmount },
  JSON_OPTION,
];

const SCHEDULES =
  'Schedules: `30m` or `2027-02-03T14:00` (once), `every 2h`, `weekdays 8:30`, `every monday 9:00`, `@daily`, or a cron expression such as `0 9 * * 1-5`. A sixth field is the second. `±5m` at the end spreads the start.';

function changing(name: JobAction, about: string, aliases: readonly string[] = []): CommandRow {
  return {
    name,
    aliases,
    about,
    arguments: [JOB],
    options: [JSON_OPTION],
    examples: [`hermes cron ${name} "Morning report"`],
    run: async ({ values: [job], options, io }: CommandCall<Json, [string]>) =>
      (await import('../../cron/jobs.ts')).changeJob(name, job, options, io),
  };
}

/** The commands of scheduled jobs. */
export const CRON_COMMANDS: readonly CommandRow[] = [
  {
    name: 'cron',
    group: 'Messaging and jobs:',
    about: 'let Hermes work at certain times, and deliver the answers to a chat or a file',
    summary: 'let Hermes work at certain times',
    examples: [
      'hermes cron create "weekdays 8:30" "Summarize the news about Node.js" --deliver telegram',
      'hermes cron list',
      'hermes cron runs',
    ],
    commands: [
      {
        name: 'create',
        aliases: ['add'],
        about: 'create a job',
        arguments: [
          { form: '<schedule>', about: 'when the job runs' },
          { form: '[prompt...]', about: 'what Hermes should do; not needed with a skill or a script' },
        ],
        options: [...JOB_OPTIONS, { form: '--dry-run', about: 'only show the next five times of the schedule' }],
        notes: `${SCHEDULES} Jobs run while \`hermes gateway run\` is running, or whenever \`hermes cron tick\` is called.`,
        examples: [
          'hermes cron create "every 2h" "Check https://example.org and report problems"',
          'hermes cron create "0 9 * * 1-5" "Review the open pull requests" --skill code-review --deliver slack:#team',
          'hermes cron create @daily --script backup.sh --no-agent',
        ],
        run: async ({ values: [schedule, words], options, io }: CommandCall<CreateOptions, [string, string[]]>) =>
          (await import('../../cron/jobs.ts')).createJob(schedule, words, options, io),
      },
      {
        name: 'list',
        onlyReads: true,
        about: 'list the jobs, with their next times and their last results',
        options: [{ form: '--all', about: 'also paused and completed jobs', onlyReads: true }, JSON_OPTION],
        examples: ['hermes cron list', 'hermes cron list --all --json'],
        run: async ({ options, io }: CommandCall<Json & { all?: boolean }>) =>
          (await import('../../cron/jobs.ts')).listJobs(options, io),
      },
      {
        name: 'edit',
        about: 'change a job',
        arguments: [JOB],
        options: [
          { form: '--schedule <schedule>', about: 'when the job runs' },
          { form: '--prompt <text>', about: 'what Hermes should do' },
          ...JOB_OPTIONS,
          { form: '--add-skill <name>', about: 'add a skill; repeatable', parse: collect },
          { form: '--remove-skill <name>', about: 'remove a skill; repeatable', parse: collect },
          { form: '--clear-skills', about: 'remove all skills' },
        ],
        notes: `What is not named stays as it is; an empty text removes a script or a model. ${SCHEDULES}`,
        examples: ['hermes cron edit "Morning report" --schedule "weekdays 9:00" --deliver discord'],
        run: async ({ values: [job], options, io }: CommandCall<EditOptions, [string]>) =>
          (await import('../../cron/jobs.ts')).editJob(job, options, io),
      },
      changing('pause', 'do not run a job until it is resumed'),
      changing('resume', 'run a paused job again, from its next planned time on'),
      {
        name: 'run',
        about: 'run a job now, in this process, and print and deliver its answer',
        arguments: [JOB],
        options: [JSON_OPTION],
        notes: 'The schedule stays as it is. The exit code is 0 if the run succeeded.',
        examples: ['hermes cron run "Morning report"'],
        run: async ({ values: [job], options, run }: CommandCall<Json, [string]>) =>
          (await import('../../cron/run.ts')).runNow(job, options, run),
      },
      changing('remove', 'delete a job; its saved answers stay', ['rm', 'delete']),
      {
        name: 'status',
        onlyReads: true,
        about: 'show whether jobs are run, the next one, and those that fail',
        options: [JSON_OPTION],
        notes: 'The exit code is 0 if a scheduler is running here, or no job is scheduled, and no last run has failed.',
        examples: ['hermes cron status'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../cron/status.ts')).cronStatus(options, io),
      },
      {
        name: 'runs',
        onlyReads: true,
        about: 'list the newest runs, with their states and the states of their deliveries',
        arguments: [{ form: '[job]', about: 'only the runs of this job' }],
        options: [
          { form: '-n, --limit <n>', about: 'the number of runs; 20 by default', parse: parseCount, onlyReads: true },
          JSON_OPTION,
        ],
        notes:
          'A run is claimed, running, done, failed or unknown: its process died, and it is not repeated. Its delivery is none, waiting, delivered or failed.',
        examples: ['hermes cron runs', 'hermes cron runs "Morning report" --limit 5'],
        run: async ({ values: [job], options, io }: CommandCall<RunsOptions, [string | undefined]>) =>
          (await import('../../cron/status.ts')).listRuns(job, options, io),
      },
      {
        name: 'next',
        onlyReads: true,
        about: 'list the next planned times of all jobs',
        arguments: [{ form: '[count]', about: 'the number of times; 10 by default', parse: parseCount }],
        options: [JSON_OPTION],
        examples: ['hermes cron next', 'hermes cron next 3'],
        run: async ({ values: [count], options, io }: CommandCall<Json, [number | undefined]>) =>
          (await import('../../cron/status.ts')).listNext(count, options, io),
      },
      {
        name: 'tick',
        about: 'run the jobs that are due, wait for them, and end',
        options: [{ form: '-q, --quiet', about: 'print nothing' }, JSON_OPTION],
        notes:
          'For systems without a running gateway: call it every minute from cron or a timer. Several calls at the same time, and a gateway, do not run a job twice.',
        examples: ['hermes cron tick', '* * * * * hermes cron tick --quiet'],
        run: async ({ options, run }: CommandCall<Json & { quiet?: boolean }>) =>
          (await import('../../cron/run.ts')).tick(options, run),
      },
    ],
  },
];
