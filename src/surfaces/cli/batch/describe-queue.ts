import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseCount } from '../parse-count.ts';
import { addAgentOptions, parseDollars } from './agent-options.ts';
import type { CollectOptions, QueueOptions, StatusOptions } from './queue-commands.ts';
import type { SubmitFlags, WorkerFlags } from './queue-runs.ts';

type Found = (run: CommandRun) => void;

const QUEUE = ['--queue <url>', 'the database; storage.url or HERMES_DATABASE_URL without it'] as const;

/** The commands for batches on many machines, which share a PostgreSQL. */
export function describeQueue(batch: Command, found: Found): void {
  describeSubmit(batch, found);
  describeWorker(batch, found);
  batch
    .command('status')
    .description('show how far the runs of the queue are')
    .argument('[run]', 'only this one')
    .option(...QUEUE)
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes batch status', 'hermes batch status RUN --json'))
    .action((reference: string | undefined, options: StatusOptions) =>
      found(async (io) => (await import('./queue-commands.ts')).showStatus(reference, options, io)),
    );
  describeEnding(batch, found);
}

function describeSubmit(batch: Command, found: Found): void {
  const submit = batch
    .command('submit')
    .description('put a run into the queue of a PostgreSQL')
    .requiredOption('--input <file>', 'the prompts: a JSON object per line, {"prompt": "…"}')
    .option(...QUEUE)
    .option('--limit <number>', 'only the first prompts of the file', parseCount)
    .option('--batch-size <number>', 'prompts per part file (100 without it)', parseCount)
    .option('--max-spend <dollars>', 'take no more prompts once the run has cost this much', parseDollars);
  addAgentOptions(submit)
    .addHelpText('after', examples('hermes batch submit --queue postgres://user@host/db --input prompts.jsonl'))
    .action((options: SubmitFlags) =>
      found(async (io) => (await import('./queue-runs.ts')).submitCommand(options, io)),
    );
}

function describeWorker(batch: Command, found: Found): void {
  batch
    .command('worker')
    .description('work off runs of the queue, on any number of machines')
    .option(...QUEUE)
    .option('--run <run>', 'only this one')
    .option('--workers <number>', 'prompts at the same time', parseCount, 4)
    .option('--patience <minutes>', 'how long a provider or the database may be away', parseCount, 60)
    .option('--until-done', 'end when nothing is left to do')
    .option('--verbose', 'write more into the log')
    .addHelpText(
      'after',
      examples('hermes batch worker --queue postgres://user@host/db --workers 16', 'hermes batch worker --until-done'),
    )
    .action((options: WorkerFlags) =>
      found(async (io, signal) => (await import('./queue-runs.ts')).workerCommand(options, io, signal)),
    );
}

function describeEnding(batch: Command, found: Found): void {
  batch
    .command('collect')
    .description('write what there is of a run into the files that `batch run` writes')
    .argument('<run>', 'its id, or the beginning of it')
    .requiredOption('--output <folder>', 'where results go; again the same one to add what came since')
    .option(...QUEUE)
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes batch collect RUN --output out'))
    .action((reference: string, options: CollectOptions) =>
      found(async (io) => (await import('./queue-commands.ts')).collectCommand(reference, options, io)),
    );
  batch
    .command('retry')
    .description('put prompts that failed back into the queue')
    .argument('<run>', 'its id, or the beginning of it')
    .option(...QUEUE)
    .addHelpText('after', examples('hermes batch retry RUN'))
    .action((reference: string, options: QueueOptions) =>
      found(async (io) => (await import('./queue-commands.ts')).retryCommand(reference, options, io)),
    );
  batch
    .command('cancel')
    .description('take a run out of the queue; what is done stays')
    .argument('<run>', 'its id, or the beginning of it')
    .option(...QUEUE)
    .addHelpText('after', examples('hermes batch cancel RUN'))
    .action((reference: string, options: QueueOptions) =>
      found(async (io) => (await import('./queue-commands.ts')).cancelCommand(reference, options, io)),
    );
}
