import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { actWithoutCommand } from '../help/without-command.ts';

type Json = { json?: boolean };

const EXAMPLES = `
A name is that of a tool set, which stands for all its tools, or of a single tool.

Examples:
  hermes tools list
  hermes tools disable terminal
  hermes tools info patch`;

/** The commands about tools. None of them needs a model. */
export function describeTools(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const tools = program
    .command('tools')
    .description('see which tools there are, and switch them on and off')
    .summary('see tools, and switch them on and off');
  // Describing them costs a start that is about something else.
  if (!inFull) return;
  tools.helpCommand(false).option('--json', 'answer with JSON, for any of the commands').addHelpText('after', EXAMPLES);
  const list = (options: Json) => found(async (io) => (await import('./tools.ts')).listTools(options, io));
  actWithoutCommand(tools, () => list(tools.opts()));
  tools
    .command('list')
    .description('show tool sets and tools, and why one cannot be used')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes tools list'))
    .action(list);
  tools
    .command('info')
    .argument('<name>', 'of a tool or a tool set')
    .description('show all about a tool, or the tools of a set')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes tools info patch'))
    .action((name: string, options: Json) =>
      found(async (io) => (await import('./tools.ts')).showTool(name, options, io)),
    );
  for (const [change, words] of [
    ['enable', 'switch tools on'],
    ['disable', 'switch tools off'],
  ] as const) {
    tools
      .command(change)
      .argument('<names...>', 'of tools and tool sets')
      .addHelpText('after', examples(`hermes tools ${change} terminal`))
      .description(`${words}, in config.yaml`)
      .option('--json', 'answer with JSON')
      .action((names: string[], options: Json) =>
        found(async (io) => (await import('./tools.ts')).changeTools(change, names, options, io)),
      );
  }
}
