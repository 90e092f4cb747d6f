import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import type { UpdateOptions } from './update.ts';

const EXAMPLES = `
Nothing is installed by this command, and nobody is asked without --check.

Examples:
  hermes update --check
  hermes update --check --json`;

export function describeUpdate(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const update = program
    .command('update')
    .description('show how to update; with --check, whether there is a newer version')
    .summary('how to update, and whether there is a newer version');
  if (!inFull) return;
  update
    .option('--check', 'ask the registry that npm is set to')
    .option('--json', 'answer with JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: UpdateOptions) =>
      found(async (io, signal) => (await import('./update.ts')).showUpdate(options, io, signal)),
    );
}
