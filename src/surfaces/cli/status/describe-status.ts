import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import type { StatusOptions } from './status.ts';

const EXAMPLES = examples('hermes status', 'hermes status --deep', 'hermes status --json --provider openrouter');

export function describeStatus(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const status = program
    .command('status')
    .description('show which model is used and why, and where everything is')
    .summary('which model is used and why, and where everything is');
  if (!inFull) return;
  status
    .option('-m, --model <name>', 'as if this model were asked for')
    .option('--provider <name>', 'as if this provider were asked for')
    .option('--deep', 'ask the provider for its models, which shows whether the key works')
    .option('--json', 'answer with JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: StatusOptions) => found(async (io) => (await import('./status.ts')).showStatus(options, io)));
}
