import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseCount } from '../parse-count.ts';
import type { ClearOptions, ListOptions, RestoreOptions } from './checkpoints.ts';

type Found = (run: CommandRun) => void;

const EXAMPLES = `
They are taken before a turn changes files, with --checkpoints or checkpoints.enabled, and are about the directory you are in.

Examples:
  hermes checkpoints list
  hermes checkpoints diff 3           # what has changed since
  hermes checkpoints restore 3 src/   # without a path all files
  hermes checkpoints list --all       # all directories that have some, and what they take`;

/** The commands about files as they were. */
export function describeCheckpoints(program: Command, found: Found, inFull: boolean): void {
  const checkpoints = program.command('checkpoints').description('files as they were: show them, bring them back');
  if (!inFull) return;
  checkpoints.helpCommand(false).addHelpText('after', EXAMPLES);
  describeLooking(checkpoints, found);
  checkpoints
    .command('restore')
    .description('put files back as they were; what they are now is kept first')
    .argument('<number>', 'which one', parseCount)
    .argument('[paths...]', 'only these files and folders')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('hermes checkpoints restore 3', 'hermes checkpoints restore 3 src/'))
    .action((number: number, paths: string[], options: RestoreOptions) =>
      found(async (io) => (await import('./checkpoints.ts')).restoreCheckpoint(number, paths, options, io)),
    );
  checkpoints
    .command('prune')
    .description('drop what is beyond the limits now')
    .addHelpText('after', examples('hermes checkpoints prune'))
    .action(() => found(async (io, signal) => (await import('./checkpoints.ts')).pruneCheckpoints(io, signal)));
  checkpoints
    .command('clear')
    .description('delete all checkpoints of this directory')
    .option('--all', 'of every directory')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('hermes checkpoints clear', 'hermes checkpoints clear --all --yes'))
    .action((options: ClearOptions) =>
      found(async (io) => (await import('./checkpoints.ts')).clearCheckpoints(options, io)),
    );
}

function describeLooking(checkpoints: Command, found: Found): void {
  checkpoints
    .command('list')
    .description('show those of this directory, newest first')
    .option('--all', 'show the directories that have some')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes checkpoints list', 'hermes checkpoints list --all'))
    .action((options: ListOptions) =>
      found(async (io) => (await import('./checkpoints.ts')).listCheckpoints(options, io)),
    );
  checkpoints
    .command('diff')
    .description('show what has changed since one')
    .argument('<number>', 'which one', parseCount)
    .argument('[paths...]', 'only these files and folders')
    .addHelpText('after', examples('hermes checkpoints diff 3', 'hermes checkpoints diff 3 src/main.ts'))
    .action((number: number, paths: string[]) =>
      found(async (io) => (await import('./checkpoints.ts')).diffCheckpoint(number, paths, io)),
    );
}
