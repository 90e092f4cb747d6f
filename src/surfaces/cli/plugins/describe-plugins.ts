import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { actWithoutCommand } from '../help/without-command.ts';

type Json = { json?: boolean };
type Found = (run: CommandRun) => void;

const EXAMPLES = `
A plugin is code of others that runs inside of Hermes, with all that you may do. None is loaded before you enable it.

Examples:
  hermes plugins list
  hermes plugins install ./word-count
  hermes plugins info word-count
  hermes plugins enable word-count
  hermes plugins check`;

/** The commands about plugins. None of them needs a model. */
export function describePlugins(program: Command, found: Found, inFull: boolean): void {
  const plugins = program
    .command('plugins')
    .description('see, install and remove plugins, switch them on and off')
    .summary('see, install, remove and switch plugins');
  // Describing them costs a start that is about something else.
  if (!inFull) return;
  plugins
    .helpCommand(false)
    .option('--json', 'answer with JSON, for any of the commands')
    .addHelpText('after', EXAMPLES);
  describeLooking(plugins, found);
  describeFetching(plugins, found);
  for (const [change, words] of [
    ['enable', 'load a plugin from now on, after a look at what it brings'],
    ['disable', 'do not load a plugin any more'],
  ] as const)
    plugins
      .command(change)
      .argument('<name>', 'of the plugin, or of a package in plugins/node_modules of the home')
      .description(words)
      .option('--yes', 'do not ask')
      .option('--json', 'answer with JSON')
      .addHelpText('after', examples(`hermes plugins ${change} word-count`))
      .action((name: string, options: Json & { yes?: boolean }) =>
        found(async (io) => (await import('./change.ts')).changePlugin(change, name, options, io)),
      );
}

function describeFetching(plugins: Command, found: Found): void {
  plugins
    .command('install')
    .argument('<source>', 'a folder, an address, github:OWNER/NAME or npm:NAME')
    .description('put a plugin into the home: from a folder, a git address or npm:NAME[@VERSION]; it is not loaded yet')
    .option('--yes', 'do not ask, also where it replaces another')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes plugins install ./my-plugin', 'hermes plugins install npm:some-plugin'))
    .action((source: string, options: Json & { yes?: boolean }) =>
      found(async (io, signal) => (await import('./install.ts')).fetchPlugin(source, options, io, signal)),
    );
  plugins
    .command('remove')
    .argument('<name>', 'of a plugin in the home')
    .description('remove a plugin; it is kept in the trash of the home')
    .option('--yes', 'do not ask')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes plugins remove word-count'))
    .action((name: string, options: Json & { yes?: boolean }) =>
      found(async (io) => (await import('./install.ts')).discardPlugin(name, options, io)),
    );
}

function describeLooking(plugins: Command, found: Found): void {
  const list = (options: Json) => found(async (io) => (await import('./list.ts')).listPlugins(options, io));
  actWithoutCommand(plugins, () => list(plugins.opts()));
  plugins
    .command('list')
    .description('show all plugins, and why one is not used; none of them is loaded for it')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes plugins list'))
    .action(list);
  plugins
    .command('info')
    .argument('<name>', 'of the plugin')
    .description('show what a plugin says of itself')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes plugins info word-count'))
    .action((name: string, options: Json) =>
      found(async (io) => (await import('./list.ts')).showPlugin(name, options, io)),
    );
  plugins
    .command('check')
    .description('load what is enabled, and show what each brings and what is refused')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes plugins check'))
    .action((options: Json) => found(async (io) => (await import('./check.ts')).checkPlugins(options, io)));
}
