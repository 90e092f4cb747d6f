import type { Command } from 'commander';
import type { CommandRun, SetupOptions } from '../chat-options.ts';
import { examples } from '../help/examples.ts';

const EXAMPLES = examples(
  'hermes setup',
  'hermes setup --provider ollama --model qwen3',
  'hermes setup --provider custom --base-url http://127.0.0.1:8000/v1 --model my-model',
);

export function describeSetup(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const setup = program
    .command('setup')
    .summary('connect a model, from nothing to a first answer')
    .description('connect a model: asks for provider, key and model, makes a real call and offers a chat');
  if (!inFull) return;
  setup
    .option('--provider <name>', 'the provider; with it nothing is asked, as with `hermes model set`')
    .option('--model <name>', 'the model')
    .option('--base-url <url>', 'the address of the endpoint')
    .option('--api-key-env <variable>', 'the variable that holds the key')
    .option('--force', 'also a model that is not known')
    .option('--offline', 'ask nobody whether the model is there')
    .addHelpText('after', EXAMPLES)
    .action((options: SetupOptions) =>
      found(async (io, signal, run) => (await import('./setup.ts')).setup(options, io, signal, run)),
    );
}
