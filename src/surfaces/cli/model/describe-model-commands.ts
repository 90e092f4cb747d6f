import { type Command, Option } from 'commander';
import { API_MODES } from '../../../contracts/index.ts';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { actWithoutCommand } from '../help/without-command.ts';
import type { SetOptions } from './model.ts';

type Found = (run: CommandRun) => void;

/** The commands about the model that is saved. Nothing of them is loaded before one runs. */
export function describeModelCommands(program: Command, found: Found, inFull: boolean): void {
  const model = program
    .command('model')
    .description('choose a provider and a model in the terminal, and save them')
    .summary('choose provider and model, and save them');
  actWithoutCommand(model, () => found(async (io, signal) => (await import('./model.ts')).pickModel(io, signal)));
  if (!inFull) return;
  model
    .helpCommand(false)
    .addHelpText('after', examples('hermes model', 'hermes model set openrouter', 'hermes model show'));
  addEndpointOptions(
    model
      .command('set')
      .description('save a provider and a model without asking')
      .argument('<provider>', 'its name, or that of an endpoint of your own')
      .argument('[model]', 'the model; the usual one of the provider where none is named'),
  )
    .option('--force', 'also a model that is not known')
    .option('--offline', 'ask nobody whether the model is there')
    .addHelpText(
      'after',
      examples(
        'hermes model set openrouter anthropic/claude-sonnet-5',
        'hermes model set custom my-model --base-url http://127.0.0.1:8000/v1',
      ),
    )
    .action((provider: string, name: string | undefined, options: SetOptions) =>
      found(async (io) => (await import('./model.ts')).setModel({ ...options, provider, model: name }, io)),
    );
  model
    .command('show')
    .description('show the model that is used, and what is known of it')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes model show'))
    .action((options: { json?: boolean }) => found(async (io) => (await import('./model.ts')).showModel(options, io)));
}

export function addEndpointOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'the address of the endpoint')
    .option('--api-key-env <variable>', 'the variable that holds the key')
    .addOption(new Option('--api-mode <mode>', 'which wire format it speaks').choices(API_MODES));
}
