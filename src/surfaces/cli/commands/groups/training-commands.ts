import type { CollectOptions, QueueOptions, StatusOptions } from '../../batch/queue-commands.ts';
import type { SubmitFlags, WorkerFlags } from '../../batch/queue-runs.ts';
import type { RunOptions } from '../../batch/run.ts';
import type { InsightsOptions } from '../../insights/insights.ts';
import type { ReplayCommand } from '../../replay/replay.ts';
import type { CompressOptions } from '../../trajectories/compress.ts';
import type { CheckOptions, StatsOptions } from '../../trajectories/stats.ts';
import { InvalidValue } from '../cli-command.ts';
import { type CommandCall, type CommandRow, type Json, JSON_OPTION, type ValueRow } from '../command-row.ts';
import { parseCount, parseNames } from '../option-values.ts';

const GROUP = 'Sessions and training data:';

const FILES: ValueRow = { form: '<files...>', about: 'JSON lines files; - means standard input' };
const RUN: ValueRow = { form: '<run>', about: 'id of the batch run, or the start of it' };
const QUEUE: ValueRow = {
  form: '--queue <url>',
  about: 'PostgreSQL URL (default: storage.url or HERMES_DATABASE_URL)',
};
const INPUT: ValueRow = {
  form: '--input <file>',
  about: 'prompts, one JSON object per line: {"prompt": "…"}',
};
const PROMPTS: ValueRow = { form: '[file]', about: 'prompts, like --input' };
const LIMIT: ValueRow = {
  form: '--limit <number>',
  about: 'use only the first prompts of the file',
  parse: parseCount,
};
const BATCH_SIZE: ValueRow = {
  form: '--batch-size <number>',
  about: 'prompts per part file (default: 100)',
  parse: parseCount,
};

/** Options for the agents of a batch run, on one or several machines. */
const AGENT_OPTIONS: readonly ValueRow[] = [
  { form: '--model <name>', about: 'model for all prompts' },
  { form: '--provider <name>', about: 'provider of the model' },
  { form: '--distribution <name>', about: 'distribution by which tool sets are selected: a name or a JSON file' },
  { form: '--seed <number>', about: 'random seed for selecting tool sets (default: 0)', parse: parseSeed },
  { form: '--max-turns <number>', about: 'maximum number of steps per prompt (default: 10)', parse: parseCount },
  { form: '--ephemeral-system-prompt <text>', about: 'text to add to the system prompt, not saved' },
  { form: '--prefill <file>', about: 'JSON file with messages to send before each prompt, not saved' },
  { form: '--redact', about: 'redact secrets in the saved data' },
  { form: '--verbose', about: 'write debug messages to the log of the run' },
];

/** The commands that evaluate stored sessions, and those that create and process training data. */
export const TRAINING_COMMANDS: readonly CommandRow[] = [
  {
    name: 'insights',
    onlyReads: true,
    group: GROUP,
    about: 'show usage statistics: tokens, cost, models, tools, active hours',
    summary: 'show usage and cost',
    options: [
      { form: '--days <n>', about: 'number of days to include', parse: parseCount, default: 30, onlyReads: true },
      { form: '--source <name>', about: 'only sessions from this source, such as cli', onlyReads: true },
      JSON_OPTION,
    ],
    examples: ['hermes insights --days 7', 'hermes insights --source cli --json'],
    run: async ({ options, io }: CommandCall<InsightsOptions>) =>
      (await import('../../insights/insights.ts')).showInsights(options, io),
  },
  {
    name: 'replay',
    onlyReads: true,
    group: GROUP,
    about:
      'rebuild the requests of a stored session offline from its recorded responses, and show those that would differ today',
    summary: 'rebuild the requests of a session and compare them',
    arguments: [{ form: '<session>', about: 'session id, the start of one, or a title' }],
    options: [
      { form: '-m, --model <name>', about: 'build the requests for this model', onlyReads: true },
      { form: '--provider <name>', about: 'build the requests for this provider', onlyReads: true },
      {
        form: '-t, --toolsets <names>',
        about: 'build the requests with these tool sets',
        parse: parseNames,
        onlyReads: true,
      },
      JSON_OPTION,
    ],
    notes: 'No request is sent, no tool runs and nothing is stored. The exit code is 1 if something differs.',
    examples: ['hermes replay 20261104_0912', "hermes replay 20261104_0912 --json | jq -r '.steps[].hash'"],
    run: async ({ values: [session], options, io }: CommandCall<ReplayCommand, [string]>) =>
      (await import('../../replay/replay.ts')).showReplay(session, options, io),
  },
  {
    name: 'trajectories',
    group: GROUP,
    about: 'check, measure and compress files with training data',
    summary: 'check, measure and compress training data',
    notes: `A trajectory is a whole session on one line, in the format used for training. Chats save them with
--save-trajectories; \`hermes sessions export --format trajectory\` exports stored sessions.`,
    examples: [
      'hermes trajectories check trajectory_samples.jsonl',
      'hermes trajectories stats *.jsonl',
      'hermes trajectories compress all.jsonl short.jsonl',
    ],
    commands: [
      {
        name: 'check',
        onlyReads: true,
        about: 'report every format violation with its line; exit code 1 if there is one',
        arguments: [FILES],
        options: [{ form: '--json', about: 'print one JSON object per violation and per file', onlyReads: true }],
        examples: ['hermes trajectories check trajectory_samples.jsonl', 'cat *.jsonl | hermes trajectories check -'],
        run: async ({ values: [files], options, io }: CommandCall<CheckOptions, [string[]]>) =>
          (await import('../../trajectories/stats.ts')).checkFiles(files, options, io),
      },
      {
        name: 'stats',
        onlyReads: true,
        about: 'show the number of lines, turns, tokens, reasoning, tools and models',
        arguments: [FILES],
        options: [
          { form: '--no-tokens', about: 'do not count tokens, which is the slowest part', onlyReads: true },
          JSON_OPTION,
        ],
        examples: ['hermes trajectories stats trajectory_samples.jsonl'],
        run: async ({ values: [files], options, io }: CommandCall<StatsOptions, [string[]]>) =>
          (await import('../../trajectories/stats.ts')).showStatistics(files, options, io),
      },
      {
        name: 'compress',
        about: 'compress trajectories to a token budget by replacing turns in the middle with summaries',
        arguments: [
          { form: '<input>', about: 'JSON lines file' },
          { form: '<output>', about: 'a new file, or the output of an interrupted run' },
        ],
        options: [
          {
            form: '--target <tokens>',
            about: 'maximum number of tokens per trajectory',
            parse: parseCount,
            default: 15_250,
          },
          {
            form: '--summary <tokens>',
            about: 'maximum number of tokens per summary',
            parse: parseCount,
            default: 750,
          },
          { form: '--keep-last <n>', about: 'number of turns to keep at the end', parse: parseCount, default: 4 },
          {
            form: '--concurrency <n>',
            about: 'number of trajectories to process at the same time',
            parse: parseCount,
            default: 50,
          },
          { form: '--timeout <seconds>', about: 'timeout for each summary', parse: parseCount, default: 300 },
          { form: '--no-model', about: 'list the called tools instead of summarising with a model' },
          JSON_OPTION,
        ],
        examples: [
          'hermes trajectories compress all.jsonl short.jsonl',
          'hermes trajectories compress --target 8000 --no-model all.jsonl short.jsonl',
        ],
        run: async ({ values: [input, output], options, io, signal }: CommandCall<CompressOptions, [string, string]>) =>
          (await import('../../trajectories/compress.ts')).compressTrajectories(input, output, options, io, signal),
      },
    ],
  },
  {
    name: 'batch',
    group: GROUP,
    about: 'run many prompts in parallel to create training data',
    notes:
      'A batch run starts an agent for each prompt of a file and saves the sessions as training data, one JSON line each.',
    examples: [
      'hermes batch run --input prompts.jsonl --output out',
      'hermes batch run --input prompts.jsonl --output out --resume   # after an interruption',
      'hermes batch submit --input prompts.jsonl                      # once, for several machines:',
      'hermes batch worker --until-done                               # on each machine',
      'hermes batch collect RUN --output out',
    ],
    commands: [
      {
        name: 'run',
        about: 'run the prompts of a file on this machine',
        arguments: [PROMPTS],
        options: [
          INPUT,
          { form: '--output <folder>', about: 'folder for the results; it must be new, unless --resume is given' },
          { form: '--resume', about: 'continue the run in the folder, skipping finished prompts' },
          {
            form: '--workers <number>',
            about: 'number of prompts to run at the same time',
            parse: parseCount,
            default: 4,
          },
          LIMIT,
          BATCH_SIZE,
          {
            form: '--max-spend <dollars>',
            about: 'stop the run before its total cost exceeds this',
            parse: parseDollars,
          },
          {
            form: '--patience <minutes>',
            about: 'stop if a provider is unavailable for this long',
            parse: parseCount,
            default: 60,
          },
          ...AGENT_OPTIONS,
          JSON_OPTION,
        ],
        notes:
          'The first Ctrl-C finishes the prompts in progress, the second one interrupts them. Finished prompts are kept in both cases.',
        examples: [
          'hermes batch run --input prompts.jsonl --output out --workers 16',
          'hermes batch run --input prompts.jsonl --output out --resume --max-spend 20',
          'hermes batch run --input prompts.jsonl --output out --distribution research --max-turns 20',
        ],
        run: async ({ values: [file], options, run }: CommandCall<RunOptions, [string | undefined]>) =>
          (await import('../../batch/run.ts')).runBatchCommand(file, options, run),
      },
      {
        name: 'submit',
        about: 'add a run to a queue in a PostgreSQL database',
        arguments: [PROMPTS],
        options: [
          INPUT,
          QUEUE,
          LIMIT,
          BATCH_SIZE,
          {
            form: '--max-spend <dollars>',
            about: 'start no more prompts when the run has cost this much',
            parse: parseDollars,
          },
          ...AGENT_OPTIONS,
        ],
        examples: ['hermes batch submit --queue postgres://user@host/db --input prompts.jsonl'],
        run: async ({ values: [file], options, io }: CommandCall<SubmitFlags, [string | undefined]>) =>
          (await import('../../batch/queue-runs.ts')).submitCommand(file, options, io),
      },
      {
        name: 'worker',
        about: 'process runs from the queue, on any number of machines',
        options: [
          QUEUE,
          { form: '--run <run>', about: 'process only this run' },
          {
            form: '--workers <number>',
            about: 'number of prompts to run at the same time',
            parse: parseCount,
            default: 4,
          },
          {
            form: '--patience <minutes>',
            about: 'stop if a provider or the database is unavailable for this long',
            parse: parseCount,
            default: 60,
          },
          { form: '--until-done', about: 'exit when the queue is empty' },
          { form: '--verbose', about: 'write debug messages to the log' },
        ],
        examples: [
          'hermes batch worker --queue postgres://user@host/db --workers 16',
          'hermes batch worker --until-done',
        ],
        run: async ({ options, run }: CommandCall<WorkerFlags>) =>
          (await import('../../batch/queue-runs.ts')).workerCommand(options, run),
      },
      {
        name: 'status',
        onlyReads: true,
        about: 'show the progress of the runs in the queue',
        arguments: [{ form: '[run]', about: 'only this run' }],
        options: [QUEUE, JSON_OPTION],
        examples: ['hermes batch status', 'hermes batch status RUN --json'],
        run: async ({ values: [reference], options, io }: CommandCall<StatusOptions, [string | undefined]>) =>
          (await import('../../batch/queue-commands.ts')).showStatus(reference, options, io),
      },
      {
        name: 'collect',
        about: 'write the results of a run to files, like `batch run`',
        arguments: [RUN],
        options: [
          {
            form: '--output <folder>',
            about: 'folder for the results; use the same one again to add newer results',
            isRequired: true,
          },
          QUEUE,
          JSON_OPTION,
        ],
        examples: ['hermes batch collect RUN --output out'],
        run: async ({ values: [reference], options, io }: CommandCall<CollectOptions, [string]>) =>
          (await import('../../batch/queue-commands.ts')).collectCommand(reference, options, io),
      },
      {
        name: 'retry',
        about: 'return failed prompts to the queue',
        arguments: [RUN],
        options: [QUEUE],
        examples: ['hermes batch retry RUN'],
        run: async ({ values: [reference], options, io }: CommandCall<QueueOptions, [string]>) =>
          (await import('../../batch/queue-commands.ts')).retryCommand(reference, options, io),
      },
      {
        name: 'cancel',
        about: 'remove a run from the queue; finished prompts are kept',
        arguments: [RUN],
        options: [QUEUE],
        examples: ['hermes batch cancel RUN'],
        run: async ({ values: [reference], options, io }: CommandCall<QueueOptions, [string]>) =>
          (await import('../../batch/queue-commands.ts')).cancelCommand(reference, options, io),
      },
      {
        name: 'distributions',
        onlyReads: true,
        about: 'show the probability of each tool set in each distribution',
        options: [JSON_OPTION],
        examples: ['hermes batch distributions', 'hermes batch distributions --json'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../batch/distributions.ts')).showDistributions(options, io),
      },
    ],
  },
];

function parseDollars(text: string): number {
  const amount = Number(text.replace(/^\$/, ''));
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidValue('an amount in dollars above 0, such as 2.50');
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (Number.isSafeInteger(seed) && seed >= 0) return seed;
  throw new InvalidValue('a whole number of at least 0');
}
