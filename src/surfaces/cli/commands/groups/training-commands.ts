import { InvalidArgumentError } from 'commander';
import type { CollectOptions, QueueOptions, StatusOptions } from '../../batch/queue-commands.ts';
import type { SubmitFlags, WorkerFlags } from '../../batch/queue-runs.ts';
import type { RunOptions } from '../../batch/run.ts';
import type { InsightsOptions } from '../../insights/insights.ts';
import type { ReplayCommand } from '../../replay/replay.ts';
import type { CompressOptions } from '../../trajectories/compress.ts';
import type { CheckOptions, StatsOptions } from '../../trajectories/stats.ts';
import { type CommandCall, type CommandRow, type Json, JSON_OPTION, type ValueRow } from '../command-row.ts';
import { parseCount, parseNames } from '../option-values.ts';

const GROUP = 'Chats and what was in them:';

const FILES: ValueRow = { form: '<files...>', about: 'files of JSON lines; - is standard input' };
const RUN: ValueRow = { form: '<run>', about: 'its id, or the beginning of it' };
const QUEUE: ValueRow = {
  form: '--queue <url>',
  about: 'the database; storage.url or HERMES_DATABASE_URL without it',
};
const INPUT: ValueRow = {
  form: '--input <file>',
  about: 'the prompts: a JSON object per line, {"prompt": "…"}',
  isRequired: true,
};
const LIMIT: ValueRow = { form: '--limit <number>', about: 'only the first prompts of the file', parse: parseCount };
const BATCH_SIZE: ValueRow = {
  form: '--batch-size <number>',
  about: 'prompts per part file (100 without it)',
  parse: parseCount,
};

/** How the agents of a run are made, on one machine or on many. */
const AGENT_OPTIONS: readonly ValueRow[] = [
  { form: '--model <name>', about: 'the model that all prompts are given to' },
  { form: '--provider <name>', about: 'who offers it' },
  { form: '--distribution <name>', about: 'how tool sets are drawn for each prompt: a name, or a JSON file' },
  { form: '--seed <number>', about: 'another draw of tool sets (0 without it)', parse: parseSeed },
  { form: '--max-turns <number>', about: 'steps per prompt (10 without it)', parse: parseCount },
  { form: '--ephemeral-system-prompt <text>', about: 'added to the system prompt, and not saved' },
  { form: '--prefill <file>', about: 'messages before each prompt, as a JSON list, and not saved' },
  { form: '--redact', about: 'take secrets out of what is saved' },
  { form: '--verbose', about: 'write more into the log of the run' },
];

/** The commands that evaluate stored sessions, and those that make and read training data. */
export const TRAINING_COMMANDS: readonly CommandRow[] = [
  {
    name: 'insights',
    group: GROUP,
    about: 'show what was done and spent: tokens, cost, models, tools, active hours',
    summary: 'what was done and spent',
    options: [
      { form: '--days <n>', about: 'how many days back', parse: parseCount, default: 30 },
      { form: '--source <name>', about: 'only sessions from there, such as cli' },
      JSON_OPTION,
    ],
    examples: ['hermes insights --days 7', 'hermes insights --source cli --json'],
    run: async ({ options, io }: CommandCall<InsightsOptions>) =>
      (await import('../../insights/insights.ts')).showInsights(options, io),
  },
  {
    name: 'replay',
    group: GROUP,
    about: 'run a stored session again with its recorded answers, offline, and show where requests would differ',
    summary: 'run a stored session again, offline, and compare',
    arguments: [{ form: '<session>', about: 'its id, the beginning of one, or its title' }],
    options: [
      { form: '-m, --model <name>', about: 'as if this model were asked' },
      { form: '--provider <name>', about: 'as if this provider were asked' },
      { form: '-t, --toolsets <names>', about: 'as if these tool sets were asked for', parse: parseNames },
      JSON_OPTION,
    ],
    notes: 'Nobody is asked, no tool runs and nothing is stored. Ends with 1 where something would be different today.',
    examples: ['hermes replay 20261104_0912', "hermes replay 20261104_0912 --json | jq -r '.steps[].hash'"],
    run: async ({ values: [session], options, io }: CommandCall<ReplayCommand, [string]>) =>
      (await import('../../replay/replay.ts')).showReplay(session, options, io),
  },
  {
    name: 'trajectories',
    group: GROUP,
    about: 'conversations as training data: check, measure and shorten files of them',
    summary: 'conversations as training data',
    notes: `A trajectory is a whole conversation on one line, in the form that training reads. Chats write them with
--save-trajectories, \`hermes sessions export --format trajectory\` writes those of stored sessions.`,
    examples: [
      'hermes trajectories check trajectory_samples.jsonl',
      'hermes trajectories stats *.jsonl',
      'hermes trajectories compress all.jsonl short.jsonl',
    ],
    commands: [
      {
        name: 'check',
        about: 'name every deviation from the form, with its line; the exit code is 1 where there is one',
        arguments: [FILES],
        options: [{ form: '--json', about: 'one JSON object per deviation, and one about each file' }],
        examples: ['hermes trajectories check trajectory_samples.jsonl', 'cat *.jsonl | hermes trajectories check -'],
        run: async ({ values: [files], options, io }: CommandCall<CheckOptions, [string[]]>) =>
          (await import('../../trajectories/stats.ts')).checkFiles(files, options, io),
      },
      {
        name: 'stats',
        about: 'show what is in them: lines, turns, tokens, thinking, tools, models',
        arguments: [FILES],
        options: [{ form: '--no-tokens', about: 'do not count tokens, which takes longest' }, JSON_OPTION],
        examples: ['hermes trajectories stats trajectory_samples.jsonl'],
        run: async ({ values: [files], options, io }: CommandCall<StatsOptions, [string[]]>) =>
          (await import('../../trajectories/stats.ts')).showStatistics(files, options, io),
      },
      {
        name: 'compress',
        about: 'shorten long conversations to a token budget; summaries stand for turns of their middle',
        arguments: [
          { form: '<input>', about: 'a file of JSON lines' },
          { form: '<output>', about: 'a new file, or one that an earlier run has begun' },
        ],
        options: [
          { form: '--target <tokens>', about: 'the most tokens of a conversation', parse: parseCount, default: 15_250 },
          { form: '--summary <tokens>', about: 'the most tokens of a summary', parse: parseCount, default: 750 },
          { form: '--keep-last <n>', about: 'the newest turns, which stay', parse: parseCount, default: 4 },
          { form: '--concurrency <n>', about: 'so many conversations at once', parse: parseCount, default: 50 },
          { form: '--timeout <seconds>', about: 'for each summary', parse: parseCount, default: 300 },
          { form: '--no-model', about: 'do without summaries: say only which tools were called' },
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
    about: 'run many prompts at once, as training data',
    notes:
      'A batch runs an agent for each prompt of a file and writes what they did as training data, one JSON line each.',
    examples: [
      'hermes batch run --input prompts.jsonl --output out',
      'hermes batch run --input prompts.jsonl --output out --resume   # after whatever ended it',
      'hermes batch submit --input prompts.jsonl                      # the same over many machines:',
      'hermes batch worker --until-done                               # on each of them',
      'hermes batch collect RUN --output out',
    ],
    commands: [
      {
        name: 'run',
        about: 'run the prompts of a file on this machine',
        options: [
          INPUT,
          {
            form: '--output <folder>',
            about: 'where results go; a new folder, or with --resume one of a run',
            isRequired: true,
          },
          { form: '--resume', about: 'go on with the run in the folder: what is done there is not done again' },
          { form: '--workers <number>', about: 'prompts at the same time', parse: parseCount, default: 4 },
          LIMIT,
          BATCH_SIZE,
          {
            form: '--max-spend <dollars>',
            about: 'end the run before it has cost more, over all its starts',
            parse: parseDollars,
          },
          {
            form: '--patience <minutes>',
            about: 'how long a provider may be away before the run ends',
            parse: parseCount,
            default: 60,
          },
          ...AGENT_OPTIONS,
          JSON_OPTION,
        ],
        notes:
          'Ctrl-C lets the prompts that are under way end; a second one leaves at once. Nothing that is done is lost by either.',
        examples: [
          'hermes batch run --input prompts.jsonl --output out --workers 16',
          'hermes batch run --input prompts.jsonl --output out --resume --max-spend 20',
          'hermes batch run --input prompts.jsonl --output out --distribution research --max-turns 20',
        ],
        run: async ({ options, io, signal }: CommandCall<RunOptions>) =>
          (await import('../../batch/run.ts')).runBatchCommand(options, io, signal),
      },
      {
        name: 'submit',
        about: 'put a run into the queue of a PostgreSQL',
        options: [
          INPUT,
          QUEUE,
          LIMIT,
          BATCH_SIZE,
          {
            form: '--max-spend <dollars>',
            about: 'take no more prompts once the run has cost this much',
            parse: parseDollars,
          },
          ...AGENT_OPTIONS,
        ],
        examples: ['hermes batch submit --queue postgres://user@host/db --input prompts.jsonl'],
        run: async ({ options, io }: CommandCall<SubmitFlags>) =>
          (await import('../../batch/queue-runs.ts')).submitCommand(options, io),
      },
      {
        name: 'worker',
        about: 'work off runs of the queue, on any number of machines',
        options: [
          QUEUE,
          { form: '--run <run>', about: 'only this one' },
          { form: '--workers <number>', about: 'prompts at the same time', parse: parseCount, default: 4 },
          {
            form: '--patience <minutes>',
            about: 'how long a provider or the database may be away',
            parse: parseCount,
            default: 60,
          },
          { form: '--until-done', about: 'end when nothing is left to do' },
          { form: '--verbose', about: 'write more into the log' },
        ],
        examples: [
          'hermes batch worker --queue postgres://user@host/db --workers 16',
          'hermes batch worker --until-done',
        ],
        run: async ({ options, io, signal }: CommandCall<WorkerFlags>) =>
          (await import('../../batch/queue-runs.ts')).workerCommand(options, io, signal),
      },
      {
        name: 'status',
        about: 'show how far the runs of the queue are',
        arguments: [{ form: '[run]', about: 'only this one' }],
        options: [QUEUE, JSON_OPTION],
        examples: ['hermes batch status', 'hermes batch status RUN --json'],
        run: async ({ values: [reference], options, io }: CommandCall<StatusOptions, [string | undefined]>) =>
          (await import('../../batch/queue-commands.ts')).showStatus(reference, options, io),
      },
      {
        name: 'collect',
        about: 'write what there is of a run into the files that `batch run` writes',
        arguments: [RUN],
        options: [
          {
            form: '--output <folder>',
            about: 'where results go; again the same one to add what came since',
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
        about: 'put prompts that failed back into the queue',
        arguments: [RUN],
        options: [QUEUE],
        examples: ['hermes batch retry RUN'],
        run: async ({ values: [reference], options, io }: CommandCall<QueueOptions, [string]>) =>
          (await import('../../batch/queue-commands.ts')).retryCommand(reference, options, io),
      },
      {
        name: 'cancel',
        about: 'take a run out of the queue; what is done stays',
        arguments: [RUN],
        options: [QUEUE],
        examples: ['hermes batch cancel RUN'],
        run: async ({ values: [reference], options, io }: CommandCall<QueueOptions, [string]>) =>
          (await import('../../batch/queue-commands.ts')).cancelCommand(reference, options, io),
      },
      {
        name: 'distributions',
        about: 'show how likely each tool set is in each distribution',
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
  throw new InvalidArgumentError('It must be an amount of dollars above 0, such as 2.50.');
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (Number.isSafeInteger(seed) && seed >= 0) return seed;
  throw new InvalidArgumentError('It must be a whole number, 0 or more.');
}
