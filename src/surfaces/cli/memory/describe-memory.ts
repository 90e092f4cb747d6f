import { Argument, type Command } from 'commander';
import { MEMORY_TARGETS, type MemoryTarget } from '../../../contracts/index.ts';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';

type Json = { json?: boolean };

const EXAMPLES = `
"memory" are the notes of the agent (MEMORY.md), "user" is what it knows of you (USER.md). A session sees them as they
were when it began.

Examples:
  hermes memory show
  hermes memory edit user
  hermes memory status --json`;

/** The commands about memory. None of them needs a model. */
export function describeMemory(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const memory = program.command('memory').description('see and edit what is remembered across sessions');
  if (!inFull) return;
  memory.helpCommand(false).option('--json', 'answer with JSON, for show and status').addHelpText('after', EXAMPLES);
  const which = () => new Argument('[which]', 'only this one').choices(MEMORY_TARGETS);
  memory
    .command('show')
    .description('show the entries')
    .addArgument(which())
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes memory show user'))
    .action((target: MemoryTarget | undefined, options: Json) =>
      found(async (io) => (await import('./show.ts')).showMemory(target, options, io)),
    );
  memory
    .command('edit')
    .description('open it in your editor ($VISUAL or $EDITOR)')
    .addArgument(which().default('memory'))
    .addHelpText('after', examples('hermes memory edit user'))
    .action((target: MemoryTarget) =>
      found(async (io, signal) => (await import('./edit.ts')).editMemory(target, io, signal)),
    );
  memory
    .command('status')
    .description('show sizes, limits, the provider, and what is wrong')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes memory status'))
    .action((options: Json) => found(async (io) => (await import('./show.ts')).showMemoryStatus(options, io)));
}
