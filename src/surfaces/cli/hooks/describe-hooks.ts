import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { actWithoutCommand } from '../help/without-command.ts';

type Json = { json?: boolean };

const EXAMPLES = `
A hook is a command of yours that runs at a step of a turn; config.yaml names them under \`hooks\`. None is run before
you allow it, and one that was changed has to be allowed again.

Examples:
  hermes hooks list
  hermes hooks allow
  hermes hooks revoke hooks.pre_tool_call[0]`;

/** The commands about shell hooks. None of them needs a model. */
export function describeHooks(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const hooks = program.command('hooks').description('see and allow commands that run at steps of a turn');
  if (!inFull) return;
  hooks.helpCommand(false).option('--json', 'answer with JSON, for any of the commands').addHelpText('after', EXAMPLES);
  const list = (options: Json) => found(async (io) => (await import('./hooks.ts')).listHooks(options, io));
  actWithoutCommand(hooks, () => list(hooks.opts()));
  hooks
    .command('list')
    .description('show all hooks, and whether each is run')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes hooks list'))
    .action(list);
  for (const [change, words] of [
    ['allow', 'let hooks run as they are now, after a look at them'],
    ['revoke', 'do not run hooks any more'],
  ] as const)
    hooks
      .command(change)
      .argument('[keys...]', 'which ones, as the list names them; all without one')
      .description(words)
      .option('--yes', 'do not ask')
      .option('--json', 'answer with JSON')
      .addHelpText('after', examples(`hermes hooks ${change}`, `hermes hooks ${change} hooks.pre_tool_call[0]`))
      .action((keys: string[], options: Json & { yes?: boolean }) =>
        found(async (io) => (await import('./hooks.ts')).changeHooks(change, keys, options, io)),
      );
}
