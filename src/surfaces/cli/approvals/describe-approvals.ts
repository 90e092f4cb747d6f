import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import type { CheckOptions } from './check.ts';

type Found = (run: CommandRun) => void;

const CHECK_NOTES = `
Nothing is run. The exit code is 0 where the command would run unasked, 3 where it would ask, 4 where it is blocked.
With --stdin each line is {"command": "…"}, and each answer is a line with command, verdict, reasons and matched; the exit
code is 0, or 1 where a line could not be read.

Examples:
  hermes approvals check 'git push --force'
  printf '{"command":"rm -rf build"}\\n' | hermes approvals check --stdin`;

/** The commands about approvals. None of them runs what it is given, and none needs a model. */
export function describeApprovals(program: Command, found: Found, inFull: boolean): void {
  const approvals = program.command('approvals').description('see what asks first, and what was allowed for good');
  // As with sessions: a start that is about something else does not pay for these.
  if (!inFull) return;
  approvals
    .helpCommand(false)
    .option('--json', 'answer with JSON, for any of the commands')
    .addHelpText('after', examples("hermes approvals check 'git push --force'", 'hermes approvals list'));
  approvals
    .command('check')
    .description('judge a command without running it')
    .argument('[command...]', 'the command line')
    // Options that are not ours belong to the command.
    .allowUnknownOption()
    .option('--stdin', 'read JSON lines from standard input, answer with JSON lines')
    .option('--json', 'answer with JSON')
    .addHelpText('after', CHECK_NOTES)
    .action((words: string[], options: CheckOptions) =>
      found(async (io) => (await import('./check.ts')).checkCommand(words, options, io)),
    );
  approvals
    .command('list')
    .description('show what is allowed for good')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes approvals list'))
    .action((options: { json?: boolean }) =>
      found(async (io) => (await import('./allowed.ts')).listAllowed(options, io)),
    );
  approvals
    .command('forget')
    .description('ask again about what was allowed for good')
    .argument('<entry>', 'an entry as `list` shows it')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples("hermes approvals forget 'git push --force'"))
    .action((entry: string, options: { json?: boolean }) =>
      found(async (io) => (await import('./allowed.ts')).forgetAllowed(entry, options, io)),
    );
}
