import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseCount } from '../parse-count.ts';
import { addAgentOptions, parseDollars } from './agent-options.ts';
import { describeQueue } from './describe-queue.ts';
import type { RunOptions } from './run.ts';

type Found = (run: CommandRun) => void;

const EXAMPLES = `
A batch runs an agent for each prompt of a file and writes what they did as training data, one JSON line each.

Examples:
  hermes batch run --input prompts.jsonl --output out
  hermes batch run --input prompts.jsonl --output out --resume   # after whatever ended it
  hermes batch submit --input prompts.jsonl                      # the same over many machines:
  hermes batch worker --until-done                               # on each of them
  hermes batch collect RUN --output out`;

/** The commands that make training data. */
export function describeBatch(program: Command, found: Found, inFull: boolean): void {
  const batch = program.command('batch').description('run many prompts at once, as training data');
  if (!inFull) return;
  batch.helpCommand(false).addHelpText('after', EXAMPLES);
  describeRun(batch, found);
  describeQueue(batch, found);
  batch
    .command('distributions')
    .description('show how likely each tool set is in each distribution')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes batch distributions', 'hermes batch distributions --json'))
    .action((options: { json?: boolean }) =>
      found(async (io) => (await import('./distributions.ts')).showDistributions(options, io)),
    );
}

function describeRun(batch: Command, found: Found): void {
  const run = batch
    .command('run')
    .description('run the prompts of a file on this machine')
    .requiredOption('--input <file>', 'the prompts: a JSON object per line, {"prompt": "…"}')
    .requiredOption('--output <folder>', 'where results go; a new folder, or with --resume one of a run')
    .option('--resume', 'go on with the run in the folder: what is done there is not done again')
    .option('--workers <number>', 'prompts at the same time', parseCount, 4)
    .option('--limit <number>', 'only the first prompts of the file', parseCount)
    .option('--batch-size <number>', 'prompts per part file (100 without it)', parseCount)
    .option('--max-spend <dollars>', 'end the run before it has cost more, over all its starts', parseDollars)
    .option('--patience <minutes>', 'how long a provider may be away before the run ends', parseCount, 60);
  addAgentOptions(run)
    .option('--json', 'answer with JSON')
    .addHelpText('after', RUN_HELP)
    .action((options: RunOptions) =>
      found(async (io, signal) => (await import('./run.ts')).runBatchCommand(options, io, signal)),
    );
}

const RUN_HELP = `
Ctrl-C lets the prompts that are under way end; a second one leaves at once. Nothing that is done is lost by either.

Examples:
  hermes batch run --input prompts.jsonl --output out --workers 16
  hermes batch run --input prompts.jsonl --output out --resume --max-spend 20
  hermes batch run --input prompts.jsonl --output out --distribution research --max-turns 20`;
