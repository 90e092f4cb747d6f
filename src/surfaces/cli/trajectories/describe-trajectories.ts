import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseCount } from '../parse-count.ts';
import type { CheckOptions, StatsOptions } from './stats.ts';
import type { CompressOptions } from './compress.ts';

type Found = (run: CommandRun) => void;

const FILES = 'files of JSON lines; - is standard input';

const EXAMPLES = `
A trajectory is a whole conversation on one line, in the form that training reads. Chats write them with
--save-trajectories, \`hermes sessions export --format trajectory\` writes those of stored sessions.

Examples:
  hermes trajectories check trajectory_samples.jsonl
  hermes trajectories stats *.jsonl
  hermes trajectories compress all.jsonl short.jsonl`;

/** The commands about files of trajectories. */
export function describeTrajectories(program: Command, found: Found, inFull: boolean): void {
  const trajectories = program
    .command('trajectories')
    .description('conversations as training data: check, measure and shorten files of them')
    .summary('conversations as training data');
  if (!inFull) return;
  trajectories.helpCommand(false).addHelpText('after', EXAMPLES);
  trajectories
    .command('check')
    .description('name every deviation from the form, with its line; the exit code is 1 where there is one')
    .argument('<files...>', FILES)
    .option('--json', 'one JSON object per deviation, and one about each file')
    .addHelpText(
      'after',
      examples('hermes trajectories check trajectory_samples.jsonl', 'cat *.jsonl | hermes trajectories check -'),
    )
    .action((files: string[], options: CheckOptions) =>
      found(async (io) => (await import('./stats.ts')).checkFiles(files, options, io)),
    );
  trajectories
    .command('stats')
    .description('show what is in them: lines, turns, tokens, thinking, tools, models')
    .argument('<files...>', FILES)
    .option('--no-tokens', 'do not count tokens, which takes longest')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes trajectories stats trajectory_samples.jsonl'))
    .action((files: string[], options: StatsOptions) =>
      found(async (io) => (await import('./stats.ts')).showStatistics(files, options, io)),
    );
  describeCompress(trajectories, found);
}

function describeCompress(trajectories: Command, found: Found): void {
  trajectories
    .command('compress')
    .description('shorten long conversations to a token budget; summaries stand for turns of their middle')
    .argument('<input>', 'a file of JSON lines')
    .argument('<output>', 'a new file, or one that an earlier run has begun')
    .option('--target <tokens>', 'the most tokens of a conversation', parseCount, 15_250)
    .option('--summary <tokens>', 'the most tokens of a summary', parseCount, 750)
    .option('--keep-last <n>', 'the newest turns, which stay', parseCount, 4)
    .option('--concurrency <n>', 'so many conversations at once', parseCount, 50)
    .option('--timeout <seconds>', 'for each summary', parseCount, 300)
    .option('--no-model', 'do without summaries: say only which tools were called')
    .option('--json', 'answer with JSON')
    .addHelpText(
      'after',
      examples(
        'hermes trajectories compress all.jsonl short.jsonl',
        'hermes trajectories compress --target 8000 --no-model all.jsonl short.jsonl',
      ),
    )
    .action((input: string, output: string, options: CompressOptions) =>
      found(async (io, signal) =>
        (await import('./compress.ts')).compressTrajectories(input, output, options, io, signal),
      ),
    );
}
